import type { Data } from './data.ts'
import type { ConflictAuthor } from './merge.ts'

/** A fault in the format of the API. */
export interface SentFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type SaveAnswer =
  | { readonly kind: 'saved'; readonly entry: Data; readonly etag: string | null }
  /** Someone else has written the entry since it was read. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'refused'; readonly faults: readonly SentFault[]; readonly message: string }
  | { readonly kind: 'unreachable' | 'gone' }

export interface ReadEntry {
  readonly entry: Data
  readonly etag: string | null
}

export interface EntryDoor {
  /** `attempt` stays the same when a write without a response is sent again. */
  save(data: Data, etag: string | null, attempt: string): Promise<SaveAnswer>
  /** Null if the read failed; `gone` if the entry is deleted. */
  read(): Promise<ReadEntry | 'gone' | null>
  /** The author of the last read version. Null if there is a newer version, or no answer. */
  readAuthor(): Promise<ConflictAuthor | null>
}
