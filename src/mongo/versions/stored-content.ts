import type { Document } from 'mongodb'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { unsetValue } from '../../schema/values/unset-value.ts'

/** Lists all attribute values in a fixed order. Missing attributes count as unset. */
export function storedContent({ attributes }: ContentTypePlan): Document {
  const content = [...attributes.values()].map((attribute): [string, Document] => [
    attribute.name,
    { $ifNull: [`$${attribute.name}`, unsetContent(attribute)] },
  ])
  return content.length === 0 ? { $literal: null } : Object.fromEntries(content)
}

export function unsetContent(attribute: AttributePlan): null | readonly never[] {
  const isInverse = attribute.kind === 'relation' && attribute.side === 'inverse'
  return isInverse ? [] : unsetValue(attribute)
}
