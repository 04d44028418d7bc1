import type { Document } from 'mongodb'
import { groupBy } from '../../base/group-by.ts'
import { analyzerFor } from '../../query/text/analyze-text.ts'
import { IMPACTS, parsePlaces, type Posting } from '../../query/text/index-terms.ts'
import { languageOf } from '../../query/text/languages.ts'
import { queryTerms, type QueryTerm, type QueryTerms } from '../../query/text/query-terms.ts'
import type { Candidate, SearchStatistics, TermMatch, TermPlaces } from '../../query/text/rank.ts'
import type { Query, TextSearch } from '../../query/query.ts'
import type { Database } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'
import { literal } from '../read/translate-filter.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import {
  searchForm,
  searchKey,
  type SearchRow,
  searchRowsOf,
  statisticsId,
  statisticsOf,
} from './index-rows.ts'

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
  const { plan, version, reader } = query
  const { defaultCode } = reader.locales
  const form = searchForm(plan, defaultCode)
  const byLanguage = groupBy(version.locales, (locale) =>
    languageOf(locale === NO_LOCALE ? defaultCode : locale),
  )
  return Promise.all(
    [...byLanguage].map(([language, locales]) => {
      const keys = locales.map((locale) => searchKey(form, { locale, status: version.status }))
      return findInLanguage(database, query, language, keys)
    }),
  )
}

async function findInLanguage(
  database: Database,
  { plan, search }: Searched,
  language: string,
  keys: readonly string[],
): Promise<FoundCandidates> {
  const terms = queryTerms(search.text, await analyzerFor(language))
  const rows = searchRowsOf(database, plan)
  const finds = terms.terms.flatMap((term, place) => findsOf(term, place))
  const [statistics, ...found] = await Promise.all([
    readStatistics(database, plan, keys),
    ...finds.map((find) => readFind(rows, keys, find)),
  ])
  return { terms, ...(await joinFound(rows, keys, found)), statistics }
}

interface TermFind {
  readonly term: number
  readonly kind: keyof TermMatch
  /** A condition on the text of a posting. All of them together are the term. */
  readonly byImpact: readonly Document[]
  readonly whole: Document
}

function findsOf({ stem, word, isPrefix }: QueryTerm, term: number): readonly TermFind[] {
  const texts = IMPACTS.map((impact) => `${stem} ${impact}`)
  const exact: TermFind = {
    term,
    kind: 'exact',
    whole: { $in: texts },
    byImpact: texts.map((text) => ({ $in: [text] })),
  }
  if (!isPrefix) return [exact]
  const start = `^${literal(word)}`
  const prefix: TermFind = {
    term,
    kind: 'prefix',
    whole: { $regex: start },
    byImpact: IMPACTS.map((impact) => ({ $regex: `${start}.*${impact}$` })),
  }
  return [exact, prefix]
}

interface FoundRow extends Pick<SearchRow, '_id' | 'n'> {
  readonly p?: readonly Posting[]
}

interface FoundTerm {
  readonly find: TermFind
  readonly rows: readonly FoundRow[]
  readonly isCapped: boolean
}

/** Takes the postings of the highest impact if there are too many. */
async function readFind(
  rows: Table<SearchRow>,
  keys: readonly string[],
  find: TermFind,
): Promise<FoundTerm> {
  const all = await readPostings(rows, keys, find.whole, { limit: MAX_CANDIDATES + 1 })
  if (all.length <= MAX_CANDIDATES) return { find, rows: all, isCapped: false }
  const found = new Map<string, FoundRow>()
  for (const condition of find.byImpact) {
    const limit = MAX_CANDIDATES - found.size
    if (limit <= 0) break
    // A row can have words of several impacts, so more of them may be found already.
    const more = await readPostings(rows, keys, condition, { limit: MAX_CANDIDATES, sort: true })
    for (const row of more.filter(({ _id }) => !found.has(_id)).slice(0, limit))
      found.set(row._id, row)
  }
  return { find, rows: [...found.values()], isCapped: true }
}

interface PostingsRead {
  readonly limit: number
  readonly sort?: boolean
  readonly ids?: readonly string[]
}

function readPostings(
  rows: Table<SearchRow>,
  keys: readonly string[],
  condition: Document,
  { limit, sort = false, ids }: PostingsRead,
): Promise<readonly FoundRow[]> {
  const [key, ...others] = keys
  const filter: Document = {
    ...(ids !== undefined && { _id: { $in: [...ids] } }),
    k: others.length === 0 && key !== undefined ? key : { $in: [...keys] },
    'p.t': condition,
  }
  const projection = { n: 1, p: { $elemMatch: { t: condition } } }
  const cursor = rows.find(filter, { projection, batchSize: limit + 1 })
  return (sort ? cursor.sort({ k: 1, _id: 1 }) : cursor).limit(limit).toArray()
}

/** Rare terms say most, so their entries come first. */
async function joinFound(
  rows: Table<SearchRow>,
  keys: readonly string[],
  found: readonly FoundTerm[],
): Promise<Pick<FoundCandidates, 'candidates' | 'isCapped'>> {
  const chosen = new Map<string, JoinedCandidate>()
  let isCapped = found.some((one) => one.isCapped)
  for (const one of found.toSorted((a, b) => a.rows.length - b.rows.length)) {
    for (const { _id, n } of one.rows) {
      if (chosen.has(_id)) continue
      if (chosen.size < MAX_CANDIDATES) chosen.set(_id, { lengths: n, matches: new Map() })
      else isCapped = true
    }
  }
  for (const one of found) addMatches(chosen, one)
  for (const one of found.filter((each) => each.isCapped)) {
    const known = new Set(one.rows.map(({ _id }) => _id))
    const ids = [...chosen.keys()].filter((_id) => !known.has(_id))
    if (ids.length === 0) continue
    const more = await readPostings(rows, keys, one.find.whole, { limit: ids.length, ids })
    addMatches(chosen, { ...one, rows: more })
  }
  return { candidates: chosen, isCapped }
}

interface JoinedCandidate extends Candidate {
  readonly matches: Map<number, TermMatch>
}

function addMatches(chosen: ReadonlyMap<string, JoinedCandidate>, { find, rows }: FoundTerm): void {
  for (const { _id, p: [posting] = [] } of rows) {
    const candidate = chosen.get(_id)
    if (candidate === undefined || posting === undefined) continue
    const before = candidate.matches.get(find.term) ?? { exact: null, prefix: null }
    const places: TermPlaces = parsePlaces(posting.a)
    candidate.matches.set(find.term, { ...before, [find.kind]: places })
  }
}

async function readStatistics(
  database: Database,
  plan: Searched['plan'],
  keys: readonly string[],
): Promise<SearchStatistics> {
  const ids = keys.map((key) => statisticsId(plan, key))
  const rows = await statisticsOf(database)
    .find({ _id: { $in: ids } })
    .toArray()
  const count = rows.reduce((total, row) => total + row.count, 0)
  const places = [...(plan.search?.weights.keys() ?? [])].map((_, place) => place)
  const averageLengths = places.map((place) => {
    const words = rows.reduce((sum, row) => sum + row.count * (row.averageLengths[place] ?? 0), 0)
    return count > 0 ? words / count : 0
  })
  return { count, averageLengths }
}
