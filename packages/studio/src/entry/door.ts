import type { Data } from './declaration.ts'

/** A fault of a payload, as the API lists it. */
export interface SentFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type SaveAnswer =
  | { readonly kind: 'saved'; readonly entry: Data; readonly etag: string | null }
  /** Another write came in between. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'refused'; readonly faults: readonly SentFault[]; readonly message: string }
  | { readonly kind: 'unreachable' | 'gone' }

export interface ReadEntry {
  readonly entry: Data
  readonly etag: string | null
}

/** How an entry is read and written. */
export interface EntryDoor {
  /** `attempt` is the same when a write whose answer was lost is sent again. */
  save(data: Data, etag: string | null, attempt: string): Promise<SaveAnswer>
  /** Null when it could not be read; `gone` when it is there no more. */
  read(): Promise<ReadEntry | 'gone' | null>
}
