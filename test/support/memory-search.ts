import type {
  SearchedEntry,
  SearchedVersion,
  SearchHits,
  SearchProvider,
  SearchRequest,
} from '../../src/extensions/search-provider.ts'

export interface MemorySearch extends SearchProvider {
  /** By content-type, documentId, locale and status. */
  readonly entries: Map<string, SearchedEntry>
  readonly cleared: string[]
  readonly requests: SearchRequest[]
  /** Replaces the next responses of `find`, until it is null again. */
  respond: ((request: SearchRequest) => unknown) | null
  /** The number of `put`s that fail. */
  failures: number
}

/** Finds entries that contain the text. The score is the weight of the attribute. */
export function openMemorySearch(version = '1'): MemorySearch {
  const entries = new Map<string, SearchedEntry>()
  const keyOf = (contentType: string, { documentId, locale, status }: SearchedVersion): string =>
    `${contentType} ${documentId} ${locale ?? ''} ${status}`
  const search: MemorySearch = {
    version,
    entries,
    cleared: [],
    requests: [],
    respond: null,
    failures: 0,
    clear: ({ contentType }) => {
      search.cleared.push(contentType)
      for (const key of entries.keys()) if (key.startsWith(`${contentType} `)) entries.delete(key)
      return Promise.resolve()
    },
    put: ({ contentType, entries: given }) => {
      if (search.failures > 0) {
        search.failures -= 1
        return Promise.reject(new Error('the index is full'))
      }
      for (const one of given) entries.set(keyOf(contentType, one), one)
      return Promise.resolve()
    },
    remove: ({ contentType, versions }) => {
      for (const one of versions) entries.delete(keyOf(contentType, one))
      return Promise.resolve()
    },
    find: (request) => {
      search.requests.push(request)
      if (search.respond !== null) return search.respond(request) as Promise<SearchHits>
      return Promise.resolve({ hits: findIn(entries, request) })
    },
  }
  return search
}

function findIn(
  entries: ReadonlyMap<string, SearchedEntry>,
  { contentType, text, weights, locales, status }: SearchRequest,
): SearchHits['hits'] {
  return [...entries].flatMap(([key, entry]) => {
    const isAsked = key.startsWith(`${contentType} `) && entry.status === status
    if (!isAsked || !locales.includes(entry.locale)) return []
    const score = Object.entries(weights).reduce((sum, [name, weight]) => {
      return entry.texts[name]?.toLowerCase().includes(text.toLowerCase()) ? sum + weight : sum
    }, 0)
    return score > 0 ? [{ documentId: entry.documentId, locale: entry.locale, score }] : []
  })
}
