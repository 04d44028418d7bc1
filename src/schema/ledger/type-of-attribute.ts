import type { AttributeDefinition, Uid } from '../definition.ts'
import type { RenamedValues } from './enter-values.ts'

/** A type changes when stored values need another form, or when their members no longer fit. */
export interface AttributeType {
  readonly type: string
  /**
   * The stored uids of the target or of the allowed components, or the values of an enumeration. Empty for the inverse
   * side of a relation, which stores nothing. Undefined in ledgers from before members were entered.
   */
  readonly members?: readonly string[]
}

export function attributeTypeOf(
  attribute: AttributeDefinition,
  storedUid: (uid: Uid) => Uid,
): AttributeType {
  const type = typeOfAttribute(attribute)
  if (attribute.type === 'enumeration') return { type, members: attribute.enum ?? [] }
  const members = membersOf(attribute)?.uids.map(storedUid)
  return members === undefined ? { type } : { type, members }
}

export function typeOfAttribute(attribute: AttributeDefinition): string {
  const { type } = attribute
  if (attribute.type === 'relation') {
    return `relation to ${attribute.relation.endsWith('ToMany') ? 'many' : 'one'}`
  }
  const isList =
    (attribute.type === 'component' && attribute.repeatable === true) ||
    (attribute.type === 'media' && attribute.multiple === true)
  return isList ? `${type} list` : type
}

/** The option that names the members, and their declared uids. Null for a type without members. */
export function membersOf(
  attribute: AttributeDefinition,
): { readonly option: string; readonly uids: readonly Uid[] } | null {
  if (attribute.type === 'relation') {
    const { mappedBy, target } = attribute
    return mappedBy === undefined
      ? { option: 'target', uids: [target] }
      : { option: 'mappedBy', uids: [] }
  }
  if (attribute.type === 'component') return { option: 'component', uids: [attribute.component] }
  if (attribute.type === 'dynamiczone') return { option: 'components', uids: attribute.components }
  return null
}

/** The older names of an attribute, newest first. */
export function sourcesOf({ from = [] }: AttributeDefinition): readonly string[] {
  return [from].flat().filter((one) => typeof one === 'string')
}

export function renamedValuesOf({ from = [] }: AttributeDefinition): RenamedValues {
  return [from].flat().flatMap((one) => (typeof one === 'string' ? [] : Object.entries(one)))
}

/** The members that `one` has and `other` does not. */
export function membersWithout(one: AttributeType, other: AttributeType): readonly string[] {
  return (one.members ?? []).filter((member) => other.members?.includes(member) === false)
}

export function isSameType(one: AttributeType, other: AttributeType): boolean {
  return (
    one.type === other.type &&
    one.members?.length === other.members?.length &&
    membersWithout(one, other).length === 0
  )
}

const MAX_NAMED = 3

/** Names the type, and the members if they alone are the difference. */
export function nameType(one: AttributeType, other: AttributeType): string {
  const own = membersWithout(one, other)
  if (one.type !== other.type || own.length === 0) return one.type
  const named = own.length > MAX_NAMED ? [...own.slice(0, MAX_NAMED), '…'] : own
  return `${one.type} (${named.join(', ')})`
}
