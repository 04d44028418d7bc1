import type { CommitNews } from '../storage/replica.ts'

export interface ReaderRequest {
  readonly body: Uint8Array
  readonly leftMs: number | null
  readonly news: CommitNews
}

export const READER_READY = 'ready'
export type ReaderReady = typeof READER_READY

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
