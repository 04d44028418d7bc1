import type { Filter } from './query.ts'

/**
 * Whether a filter has a condition on the entry's own locale, which replaces the default locale.
 */
export function namesLocale(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
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
