import type { Document } from 'mongodb'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { unsetValue } from '../../schema/values/unset-value.ts'

/**
 * The expression for the values of all attributes of a stored version, in a fixed order, so that the database can compare
 * two versions. An attribute that a version does not have counts as unset.
 */
export function storedContent({ attributes }: ContentTypePlan): Document {
  const content = [...attributes.values()].map((attribute): [string, Document] => [
    attribute.name,
    { $ifNull: [`$${attribute.name}`, unsetContent(attribute)] },
  ])
  return content.length === 0 ? { $literal: null } : Object.fromEntries(content)
}

/** The value that counts as unset when two versions are compared. */
export function unsetContent(attribute: AttributePlan): null | readonly never[] {
  const isInverse = attribute.kind === 'relation' && attribute.side === 'inverse'
  return isInverse ? [] : unsetValue(attribute)
}
