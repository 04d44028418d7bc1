import type { News } from '../storage/replica.ts'

export interface Question {
  readonly body: Uint8Array
  /** Milliseconds until the deadline. Null means no limit. */
  readonly leftMs: number | null
  readonly news: News
}

/** The first message of the process. */
export const READY = 'ready'
export type Ready = typeof READY

/** The reply, also if it is an error. */
export interface Answer {
  readonly reply: Uint8Array
  readonly cursors: number
}

export interface ReaderOptions {
  readonly directory: string
  readonly durable: boolean
  readonly address: string
  /** The pid of the engine: the reader ends with it. */
  readonly owner: number
}
