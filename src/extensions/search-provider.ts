import type { Uid } from '../schema/definition.ts'

/** A version of an entry. */
export interface SearchedVersion {
  readonly documentId: string
  /** Null for content-types without locales. */
  readonly locale: string | null
  readonly status: 'draft' | 'published'
}

export interface SearchedEntry extends SearchedVersion {
  readonly updatedAt: Date
  /** The texts of the attributes of `options.search`, without Markdown, addresses and private members. */
  readonly texts: Readonly<Record<string, string>>
}

export interface SearchStep {
  readonly contentType: Uid
  /** The number of a commit, which the given versions contain. It never decreases, except after a restored backup. */
  readonly commit: number
  /** Aborted at the deadline of ten seconds. */
  readonly signal: AbortSignal
}

export interface SearchRequest {
  readonly contentType: Uid
  readonly text: string
  /** `all`: results have every word of the text. */
  readonly match: 'any' | 'all'
  /** The attributes that the caller searches, with their weights. Matches in others must not count. */
  readonly weights: Readonly<Record<string, number>>
  readonly locales: readonly (string | null)[]
  readonly status: 'draft' | 'published'
  /** Further hits are ignored. */
  readonly limit: number
  /** Aborted at the deadline of five seconds. */
  readonly signal: AbortSignal
}

export interface SearchHit extends Pick<SearchedVersion, 'documentId' | 'locale'> {
  /** Higher scores come first. */
  readonly score: number
}

export interface SearchHits {
  /** The best ones first. */
  readonly hits: readonly SearchHit[]
  /** True if there are more. */
  readonly isCapped?: boolean
}

/** Calls may be repeated, and must have the same effect then. */
export interface SearchProvider {
  /** If it changes, the provider gets all entries again. */
  readonly version: string
  /** Deletes all versions of a content-type. Then all of them are given again. */
  clear(step: SearchStep): Promise<void>
  /** Replaces versions. At most 1,000. */
  put(step: SearchStep & { readonly entries: readonly SearchedEntry[] }): Promise<void>
  /** Deletes versions, maybe unknown ones. */
  remove(step: SearchStep & { readonly versions: readonly SearchedVersion[] }): Promise<void>
  find(request: SearchRequest): Promise<SearchHits>
}
