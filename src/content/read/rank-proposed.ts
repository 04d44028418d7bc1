import type { Database } from '../../mongo/connection/database.ts'
import { findVisibleEntries } from '../../mongo/read/read-named.ts'
import { MAX_CANDIDATES, searchedWords } from '../../mongo/search/find-candidates.ts'
import type { SearchSource } from '../../mongo/search/search-source.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Query, TextSearch } from '../../query/query.ts'
import type { RankedEntries } from './ranked-entries.ts'

/** Checks every proposed entry against the content, so a foreign index reveals nothing. */
export async function rankProposed(
  database: Database,
  query: Query & { readonly search: TextSearch },
  source: SearchSource,
): Promise<RankedEntries> {
  const { status } = query.version
  const { entries, isCapped } = await source.propose(query, MAX_CANDIDATES)
  const scores = new Map<string, number>()
  for (const { documentId, locale, score } of entries) {
    const _id = versionId(documentId, { locale, status })
    scores.set(_id, Math.max(score, scores.get(_id) ?? -Infinity))
  }
  const visible = await findVisibleEntries(database, query, [...scores.keys()])
  const hits = visible.map((one) => ({ ...one, score: scores.get(one._id) ?? 0 }))
  return { hits, words: await searchedWords(query), corrected: new Map(), isCapped }
}
