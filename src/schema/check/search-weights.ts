import type { ContentTypeDefinition, DeclarationFault } from '../definition.ts'
import { declarationFault, suggest } from './declaration-fault.ts'

/** Attribute types whose values contain text. */
const SEARCHED_TYPES: ReadonlySet<string> = new Set([
  'string',
  'text',
  'richtext',
  'blocks',
  'email',
  'uid',
  'enumeration',
  'component',
  'dynamiczone',
])

export function findSearchFaults({
  attributes,
  search = {},
}: Pick<ContentTypeDefinition, 'attributes' | 'search'>): readonly DeclarationFault[] {
  return Object.keys(search).flatMap((name): readonly DeclarationFault[] => {
    const path = `options.search.${name}`
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (attribute === undefined) {
      const params = { name, ...suggest(name, Object.keys(attributes)) }
      return [declarationFault(path, 'declare.noAttribute', params)]
    }
    const { type } = attribute
    if (!SEARCHED_TYPES.has(type))
      return [declarationFault(path, 'declare.searchType', { name, type })]
    return attribute.private === true
      ? [declarationFault(path, 'declare.searchPrivate', { name })]
      : []
  })
}
