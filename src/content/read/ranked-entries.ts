import type { Corrections } from '../../query/text/query-terms.ts'

export interface Hit {
  /** Of the version. */
  readonly _id: string
  readonly id: number
  /** In milliseconds since 1970. */
  readonly updatedAt: number
  readonly score: number
}

/** The entries of a search that the caller sees, in any order. */
export interface RankedEntries {
  readonly hits: readonly Hit[]
  /** The searched words. */
  readonly words: readonly string[]
  /** Only words of visible entries. */
  readonly corrected: Corrections
  /** True if not all entries with the words were checked. */
  readonly isCapped: boolean
}
