import type { CommitNews } from '../storage/replica.ts'

export interface ReaderRequest {
  readonly body: Uint8Array
  readonly leftMs: number | null
  readonly news: CommitNews
}

/**
 * The reader opens the data file between `may-open` and `ready`. A commit in that time could be
 * lost (see `startsFromNewest`), so the engine holds its commits.
 */
export const READER_LOADED = 'loaded'
export const READER_MAY_OPEN = 'may-open'
export const READER_READY = 'ready'
export type ReaderProgress = typeof READER_LOADED | typeof READER_READY

export interface ReaderReply {
  readonly reply: Uint8Array
  readonly cursors: number
}

export interface ReaderOptions {
  readonly directory: string
  readonly durable: boolean
  readonly address: string
  readonly nullOverLists: boolean
  /** The pid of the engine: the reader ends with it. */
  readonly owner: number
}
