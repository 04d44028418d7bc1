import type { TypeSummary } from './content-types.ts'
import { type ListQuery, NEWEST_FIRST } from './entries.ts'

/**
 * Finds a text: all of its words by relevance if the type has a search index, otherwise the newest
 * entries that contain the text.
 */
export function textQuery(
  type: Pick<TypeSummary, 'searched'> | undefined,
  text: string,
): ListQuery {
  return type?.searched === true ? byRelevance(text) : { _q: text, sort: NEWEST_FIRST }
}

/** The result must have all words, so that more words narrow a list. */
export function byRelevance(text: string): ListQuery {
  return { search: { query: text, match: 'all' } }
}
