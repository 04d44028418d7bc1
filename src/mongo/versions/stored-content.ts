import { BSON, type Document } from 'mongodb'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import type { Data } from '../../schema/definition.ts'
import type { StoredVersion } from './stored-version.ts'

/** Lists all attribute values in a fixed order. Missing attributes count as unset. */
export function storedContent({ attributes }: ContentTypePlan): Document {
  const content = [...attributes.values()].map((attribute): [string, Document] => [
    attribute.storedName,
    { $ifNull: [`$${attribute.storedName}`, unsetContent(attribute)] },
  ])
  return content.length === 0 ? { $literal: null } : Object.fromEntries(content)
}

export function unsetContent(attribute: AttributePlan): null | readonly never[] {
  const isInverse = attribute.kind === 'relation' && attribute.side === 'inverse'
  return isInverse ? [] : unsetValue(attribute)
}

/** A required list of components is null, because publishing distinguishes it from an empty list. */
export function unsetValue(attribute: AttributePlan): null | readonly never[] {
  switch (attribute.kind) {
    case 'scalar':
      return null
    case 'relation':
      return emptyList(attribute.toMany)
    case 'media':
      return emptyList(attribute.multiple)
    case 'component':
      return emptyList(attribute.repeatable && !attribute.required)
    case 'dynamiczone':
      return emptyList(!attribute.required)
  }
}

function emptyList(isList: boolean): null | readonly never[] {
  return isList ? [] : null
}

/** Compares the stored forms, including the key order of objects and the digits of decimals. */
export function areStoredAlike(one: Data, other: Data): boolean {
  return Buffer.compare(BSON.serialize(one), BSON.serialize(other)) === 0
}

/** Ignores attributes that are no longer declared. */
export function haveSameContent(
  plan: ContentTypePlan,
  draft: StoredVersion,
  published: StoredVersion,
): boolean {
  return areStoredAlike(contentOf(plan, draft), contentOf(plan, published))
}

/** The attributes with different content, in the order of the declaration. */
export function differingAttributes(
  plan: ContentTypePlan,
  draft: StoredVersion,
  published: StoredVersion,
): readonly string[] {
  const [ours, theirs] = [contentOf(plan, draft), contentOf(plan, published)]
  return Object.keys(ours).filter(
    (name) => !areStoredAlike({ value: ours[name] }, { value: theirs[name] }),
  )
}

export function contentOf(plan: ContentTypePlan, version: Data): Data {
  return Object.fromEntries(
    [...plan.attributes.values()].map((attribute) => [
      attribute.name,
      version[attribute.name] ?? unsetContent(attribute),
    ]),
  )
}
