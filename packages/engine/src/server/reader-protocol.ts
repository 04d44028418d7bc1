import type { News } from '../storage/replica.ts'

/** What the engine hands to the process that reads for it. */
export interface Question {
  /** The command, as it came. */
  readonly body: Uint8Array
  /** How much of its time is left; null for no limit. */
  readonly leftMs: number | null
  readonly news: News
}

/** What the process says first, once it can read. */
export const READY = 'ready'
export type Ready = typeof READY

/** What comes back: the reply as bytes, an error's too. */
export interface Answer {
  readonly reply: Uint8Array
  /** Cursors that are open there. */
  readonly cursors: number
}

export interface ReaderOptions {
  readonly directory: string
  readonly durable: boolean
  readonly address: string
  /** The process of the engine: the reader does not outlive it. */
  readonly owner: number
}
