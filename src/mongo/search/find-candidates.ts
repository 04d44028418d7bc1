import { groupBy } from '../../base/group-by.ts'
import { analyzerFor } from '../../query/text/analyze-text.ts'
import { languageOf } from '../../query/text/languages.ts'
import { queryTerms, type QueryTerms } from '../../query/text/query-terms.ts'
import {
  type Candidate,
  matchesSearch,
  openScores,
  type SearchStatistics,
} from '../../query/text/rank.ts'
import type { Query, TextSearch } from '../../query/query.ts'
import type { Database } from '../connection/database.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { searchForm } from './index-rows.ts'
import { type IndexRead, readIndex } from './read-index.ts'

/** Candidates beyond it are not checked. */
export const MAX_CANDIDATES = 5_000

export interface FoundCandidates {
  readonly terms: QueryTerms
  readonly candidates: ReadonlyMap<string, Candidate>
  readonly statistics: SearchStatistics
  readonly isCapped: boolean
}

type Searched = Pick<Query, 'plan' | 'version' | 'reader'> & { readonly search: TextSearch }

/** One search per language, because the words of each language have terms of their own. */
export async function findCandidates(
  database: Database,
  query: Searched,
): Promise<readonly FoundCandidates[]> {
  const { version, reader } = query
  const { defaultCode } = reader.locales
  const byLanguage = groupBy(version.locales, (locale) =>
    languageOf(locale === NO_LOCALE ? defaultCode : locale),
  )
  return Promise.all(
    [...byLanguage].map(([language, locales]) =>
      findInLanguage(database, query, language, locales),
    ),
  )
}

async function findInLanguage(
  database: Database,
  { plan, search, version, reader }: Searched,
  language: string,
  locales: readonly string[],
): Promise<FoundCandidates> {
  const terms = queryTerms(search.text, await analyzerFor(language))
  const keys = locales.map((locale) => ({ locale, status: version.status }))
  const form = searchForm(plan, reader.locales.defaultCode)
  const read = await readIndex(database, plan, form, keys, terms.terms)
  const { candidates } = read
  for (const [id, one] of candidates) {
    if (!matchesSearch(one, terms, search.attributes)) candidates.delete(id)
  }
  if (candidates.size <= MAX_CANDIDATES) return { ...read, terms }
  const best = bestOf([...candidates], terms, read, search)
  return { ...read, terms, candidates: new Map(best), isCapped: true }
}

/** Rare terms say most, so the best candidates have them. The scores of results count visible candidates only. */
function bestOf(
  matching: readonly (readonly [string, Candidate])[],
  { terms }: QueryTerms,
  { statistics }: IndexRead,
  { attributes }: TextSearch,
): readonly (readonly [string, Candidate])[] {
  const candidates = matching.map(([, one]) => one)
  const scoreOf = openScores(terms, candidates, statistics, attributes)
  return matching
    .map((one) => ({ one, score: scoreOf(one[1]) }))
    .toSorted((a, b) => b.score - a.score || (a.one[0] < b.one[0] ? -1 : 1))
    .slice(0, MAX_CANDIDATES)
    .map(({ one }) => one)
}
