import type { Database } from '../../mongo/connection/database.ts'
import { findVisible, showsAllVersions } from '../../mongo/read/read-named.ts'
import { findCandidates, type FoundCandidates } from '../../mongo/search/find-candidates.ts'
import { findChangedSince, findIndexPosition } from '../../mongo/search/index-progress.ts'
import { searchForm } from '../../mongo/search/index-rows.ts'
import type { Query, TextSearch } from '../../query/query.ts'
import { hasTerm, openScores } from '../../query/text/rank.ts'
import type { Hit, RankedEntries } from './ranked-entries.ts'

type SearchQuery = Query & { readonly search: TextSearch }

/**
 * Ranks the entries that the index of the server proposes. Hidden entries change no score, because only visible ones
 * are counted.
 */
export async function rankIndexed(database: Database, query: SearchQuery): Promise<RankedEntries> {
  // Before the index, which may only be newer.
  const position = isUnconditional(query) ? await findIndexPosition(database) : null
  const form = searchForm(query.plan, query.reader.locales.defaultCode)
  const [found, unsure] = await Promise.all([
    findCandidates(database, query),
    position === null ? null : findChangedSince(database, query.plan, form, position),
  ])
  const ranked = await Promise.all(found.map((one) => rankFound(database, query, one, unsure)))
  return {
    hits: ranked.flatMap(({ hits }) => hits),
    words: ranked.flatMap(({ words }) => words),
    corrected: new Map(ranked.flatMap(({ corrected }) => [...corrected])),
    isCapped: found.some((one) => one.isCapped),
  }
}

/** Drafts are indexed after a pause, so the position of the index does not apply to them. */
function isUnconditional(query: SearchQuery): boolean {
  return query.version.status === 'published' && showsAllVersions(query)
}

/** Without conditions, the content decides only about versions that may have changed since they were indexed. */
async function rankFound(
  database: Database,
  query: SearchQuery,
  { terms, words, corrections, candidates, statistics }: FoundCandidates,
  unsure: ReadonlySet<string> | null,
): Promise<Omit<RankedEntries, 'isCapped'>> {
  const { attributes } = query.search
  const asked = unsure ?? candidates
  const checked = [...asked.keys()].filter((_id) => candidates.has(_id))
  const shown = await findVisible(database, query, checked)
  for (const _id of checked) if (!shown.has(_id)) candidates.delete(_id)
  const scoreOf = openScores(terms.terms, candidates.values(), statistics, attributes)
  const hits: Hit[] = []
  for (const [_id, candidate] of candidates) {
    const { id, updatedAt } = candidate.version
    hits.push({ _id, id, updatedAt, score: scoreOf(candidate) })
  }
  const isFound = (stem: string): boolean =>
    terms.terms.some(
      (term, place) => term.stem === stem && hasTerm(candidates.values(), place, attributes),
    )
  const corrected = new Map([...corrections].filter(([, { stem }]) => isFound(stem)))
  return { hits, words: words.map((word) => corrected.get(word)?.word ?? word), corrected }
}
