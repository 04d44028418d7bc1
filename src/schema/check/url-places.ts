import type { ContentTypeDefinition, DeclarationFault } from '../definition.ts'
import { namesInUrl, URL_MEMBERS, URL_TYPES } from '../url-template.ts'
import { declarationFault, suggest } from './declaration-fault.ts'

/** The URL of an entry is public, so it takes no private attributes. */
export function findUrlFaults({
  attributes,
  url = '',
}: Pick<ContentTypeDefinition, 'attributes' | 'url'>): readonly DeclarationFault[] {
  const path = 'options.url'
  const shown = Object.keys(attributes).filter((name) => attributes[name]?.private !== true)
  return namesInUrl(url).flatMap((name): readonly DeclarationFault[] => {
    if (URL_MEMBERS.includes(name)) return []
    const attribute = attributes[name]
    if (attribute?.private === true) {
      return [declarationFault(path, 'declare.urlPrivate', { name })]
    }
    if (attribute === undefined) {
      const params = { name, ...suggest(name, [...shown, ...URL_MEMBERS]) }
      return [declarationFault(path, 'declare.noAttribute', params)]
    }
    const { type } = attribute
    return URL_TYPES.has(type) ? [] : [declarationFault(path, 'declare.urlType', { name, type })]
  })
}
