import type { Database } from '../../mongo/connection/database.ts'
import { boundedReads } from '../../mongo/connection/time-limits.ts'
import { type Counted, NOT_COUNTED, toCounted } from '../../mongo/read/count-versions.ts'
import { rangeOf } from '../../mongo/read/build-find.ts'
import { findNamedVersions } from '../../mongo/read/read-named.ts'
import { searchSourceOf } from '../../mongo/search/search-source.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { toCursor } from '../../query/cursor.ts'
import type { Page, Query, TextSearch } from '../../query/query.ts'
import type { Corrections } from '../../query/text/query-terms.ts'
import { countFacets, type Facets } from './count-facets.ts'
import { type FoundDocuments, showWithin } from './find-documents.ts'
import { type EntryHighlights, highlightEntries } from './highlight-entries.ts'
import { rankIndexed } from './rank-indexed.ts'
import { rankProposed } from './rank-proposed.ts'
import type { Hit } from './ranked-entries.ts'

export interface SearchMeta {
  /** The words that were searched, without stop words. */
  readonly terms: readonly string[]
  /** By word of the text: the word that was searched instead. Absent if there is none. */
  readonly corrected?: Readonly<Record<string, string>>
  /** True if more entries have the words than a search checks. */
  readonly capped?: true
  /** In the order of the entries. Absent unless the query names attributes. */
  readonly highlights?: readonly EntryHighlights[]
  /** Absent unless the query names attributes. */
  readonly facets?: Facets
}

export interface SearchedDocuments extends FoundDocuments {
  readonly search: SearchMeta
}

export type SearchQuery = Query & { readonly search: TextSearch }

/** Finds entries by relevance. The content itself decides which entries the caller sees, so a late index reveals nothing. */
export async function findSearched(
  unbounded: Database,
  query: SearchQuery,
): Promise<SearchedDocuments> {
  const database = boundedReads(unbounded)
  const source = searchSourceOf(database)
  const { words, corrected, isCapped, ...ranked } =
    source === null
      ? await rankIndexed(database, query)
      : await rankProposed(database, query, source)
  const hits = ranked.hits.toSorted(byRelevance)
  const { page, search } = query
  const { shown, last } = pageOfHits(hits, page)
  const versions = await readHits(database, query, shown)
  return {
    entries: await showWithin(database, versions, query.version.status, query),
    ...countHits(database, query, hits.length, isCapped),
    nextCursor:
      last === undefined
        ? null
        : toCursor(search.order, [last.score, new Date(last.updatedAt), last.id]),
    search: {
      terms: [...new Set(words)],
      ...(corrected.size > 0 && { corrected: wordsOf(corrected) }),
      ...(isCapped && { capped: true }),
      ...(search.highlights.length > 0 && {
        highlights: await highlightEntries({ ...search, corrected }, query.reader, versions),
      }),
      ...(search.facets.length > 0 && {
        facets: await countFacets(
          database,
          query,
          hits.map(({ _id }) => _id),
          isCapped,
        ),
      }),
    },
  }
}

function wordsOf(corrected: Corrections): Readonly<Record<string, string>> {
  return Object.fromEntries([...corrected].map(([given, { word }]) => [given, word]))
}

function byRelevance(one: Hit, other: Hit): number {
  return other.score - one.score || other.updatedAt - one.updatedAt || one.id - other.id
}

function pageOfHits(
  hits: readonly Hit[],
  page: Page,
): { readonly shown: readonly Hit[]; readonly last: Hit | undefined } {
  if (page.kind !== 'cursor') {
    const { skip, limit } = rangeOf(page)
    return { shown: hits.slice(skip, skip + limit), last: undefined }
  }
  const rest = page.after === null ? hits : hits.filter((hit) => isAfter(hit, page.after ?? []))
  const shown = rest.slice(0, page.pageSize)
  return { shown, last: rest.length > shown.length ? shown.at(-1) : undefined }
}

function isAfter(hit: Hit, [score, updatedAt, id]: readonly unknown[]): boolean {
  const after: Pick<Hit, 'score' | 'updatedAt' | 'id'> = {
    score: Number(score),
    updatedAt: updatedAt instanceof Date ? updatedAt.getTime() : Number.NaN,
    id: Number(id),
  }
  return byRelevance({ ...hit, ...after }, hit) < 0
}

async function readHits(
  database: Database,
  query: SearchQuery,
  shown: readonly Hit[],
): Promise<readonly StoredVersion[]> {
  if (shown.length === 0) return []
  const versions = await findNamedVersions(
    database,
    query,
    shown.map(({ _id }) => _id),
    query.search.highlights,
  )
  const byId = new Map(versions.map((version) => [version._id, version]))
  return shown.flatMap(({ _id }) => byId.get(_id) ?? [])
}

function countHits(
  database: Database,
  query: SearchQuery,
  count: number,
  isCapped: boolean,
): Counted {
  if (query.page.withCount === false) return NOT_COUNTED
  const { total, notes } = toCounted(database, query, count)
  const isNoted = !isCapped || notes.includes('capped')
  return { total, notes: isNoted ? notes : ['capped', ...notes] }
}
