import type { Query } from '../../query/query.ts'
import type { Database } from '../connection/database.ts'

export interface ProposedEntry {
  readonly documentId: string
  readonly locale: string
  readonly score: number
}

export interface Proposal {
  /** Of the requested status, the best ones first. */
  readonly entries: readonly ProposedEntry[]
  /** Whether there are more. */
  readonly isCapped: boolean
}

/** Proposes entries of a search. The content decides which of them the caller sees. */
export interface SearchSource {
  /** @throws ServiceUnavailableError */
  propose(asked: Query, limit: number): Promise<Proposal>
}

/** By the `close` of a database, which all its views share. */
const sources = new WeakMap<Database['close'], SearchSource>()

/** From now on, searches in this database ask the source instead of the index. */
export function replaceSearch({ close }: Pick<Database, 'close'>, source: SearchSource): void {
  sources.set(close, source)
}

/** Null for the index of the server. */
export function searchSourceOf({ close }: Pick<Database, 'close'>): SearchSource | null {
  return sources.get(close) ?? null
}
