import type { Filter, PopulateNode, SortKey } from './query.ts'

export function nodeName(node: PopulateNode): string {
  switch (node.kind) {
    case 'relation':
      return node.relation.name
    case 'component':
      return node.component.name
    case 'zone':
      return node.zone.name
    case 'media':
      return node.media.name
    case 'localizations':
      return 'localizations'
    case 'users':
      return 'related'
  }
}

export function sortPath({ through, attribute }: SortKey): string {
  return [...through, attribute].map(({ name }) => name).join('.')
}

/** Whether a filter has a condition on the entry's own locale, which replaces the default locale. */
export function namesLocale(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.isRule !== true && filter.of.some(namesLocale)
    case 'any':
      return filter.of.some(namesLocale)
    case 'not':
      return namesLocale(filter.of)
    case 'compare':
      return filter.attribute.system && filter.attribute.name === 'locale'
    case 'within':
    case 'related':
      return false
  }
}
