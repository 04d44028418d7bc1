import type { AttributeDefinition } from '../definition.ts'

/** A type changes when stored values need another form. */
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
