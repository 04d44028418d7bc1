import { groupBy } from '../../base/group-by.ts'
import { analyzerFor } from '../../query/text/analyze-text.ts'
import { languageOf } from '../../query/text/languages.ts'
import { correctedEdits } from '../../query/text/near-words.ts'
import {
  type Corrections,
  MAX_TERMS,
  queryTerms,
  type QueryTerms,
} from '../../query/text/query-terms.ts'
import {
  type Candidate,
  hasTerm,
  matchesSearch,
  openScores,
  type SearchStatistics,
  type Weights,
} from '../../query/text/rank.ts'
import { invalidValue } from '../../query/query-error.ts'
import type { Query, TextSearch } from '../../query/query.ts'
import type { Database } from '../connection/database.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { findCorrections } from './find-corrections.ts'
import { readFreshDrafts } from './fresh-drafts.ts'
import { searchForm } from './index-rows.ts'
import { type IndexRead, readIndex } from './read-index.ts'

/** Candidates beyond it are not checked. */
export const MAX_CANDIDATES = 5_000

export interface FoundCandidates {
  readonly terms: QueryTerms
  /** The words of the text. */
  readonly words: readonly string[]
  readonly corrections: Corrections
  readonly candidates: Map<string, Candidate>
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
  // A word of one language may be misspelled in another one.
  const corrects = query.search.corrects && byLanguage.size === 1
  return Promise.all(
    [...byLanguage].map(([language, locales]) =>
      findInLanguage(database, { ...query, corrects }, language, locales),
    ),
  )
}

/** The words of the text in all languages of the query, without stop words. */
export async function searchedWords({
  search,
  version,
  reader,
}: Searched): Promise<readonly string[]> {
  const { defaultCode } = reader.locales
  const languages = version.locales.map((locale) =>
    languageOf(locale === NO_LOCALE ? defaultCode : locale),
  )
  const words = new Set<string>()
  for (const language of new Set(languages)) {
    const { terms } = queryTerms(search.text, await analyzerFor(language))
    for (const { word } of terms) words.add(word)
  }
  return [...words]
}

async function findInLanguage(
  database: Database,
  { plan, search, version, reader, corrects }: Searched & { readonly corrects: boolean },
  language: string,
  locales: readonly string[],
): Promise<FoundCandidates> {
  const analyzer = await analyzerFor(language)
  const given = queryTerms(search.text, analyzer)
  if (search.matchesAll && given.isCut) {
    throw invalidValue(
      'search[query]',
      `at most ${MAX_TERMS} different words with search[match]=all`,
    )
  }
  const keys = locales.map((locale) => ({ locale, status: version.status }))
  const form = searchForm(plan, reader.locales.defaultCode)
  const weights = search.attributes
  const fresh =
    version.status === 'draft'
      ? await readFreshDrafts(database, { plan, form, keys, analyzer })
      : []
  const part = { plan, form, keys, fresh, withPositions: given.phrases.length > 0 }
  const first = await readIndex(database, part, given.terms)
  const misspelled = corrects ? missingWords(given, first, weights) : []
  const dictionary = { plan, form, keys, weights, analyzer }
  const corrections =
    misspelled.length === 0
      ? NO_CORRECTIONS
      : await findCorrections(database, dictionary, misspelled)
  const terms = queryTerms(search.text, analyzer, corrections)
  const read = corrections.size === 0 ? first : await readIndex(database, part, terms.terms)
  const { candidates } = read
  for (const [id, one] of candidates) {
    if (!matchesSearch(one, terms, weights, search.matchesAll)) candidates.delete(id)
  }
  const found = { ...read, terms, words: given.terms.map(({ word }) => word), corrections }
  if (candidates.size <= MAX_CANDIDATES) return found
  return {
    ...found,
    candidates: new Map(bestOf([...candidates], terms, read, search)),
    isCapped: true,
  }
}

const NO_CORRECTIONS: Corrections = new Map()

/** Each one reads a part of the index. */
const MAX_CORRECTIONS = 4

/** Words that no entry has. None if the search could not read all entries. */
function missingWords(
  { terms }: QueryTerms,
  { candidates, isCapped }: IndexRead,
  weights: Weights,
): readonly string[] {
  if (isCapped) return []
  const missing = terms.filter(
    ({ word }, place) => correctedEdits(word) > 0 && !hasTerm(candidates.values(), place, weights),
  )
  return [...new Set(missing.map(({ word }) => word))].slice(0, MAX_CORRECTIONS)
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
