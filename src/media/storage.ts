import type { Readable } from 'node:stream'

/** Where the bytes of files are. Names are made here and nowhere else: see `isStorageName`. */
export interface MediaStorage {
  /** As a record tells it. */
  readonly provider: string
  /**
   * Takes the file at `path` over, under a name. What the name held before is replaced in one step:
   * who reads at the same time gets the one or the other.
   */
  put(name: string, path: string): Promise<void>
  /** Null when there is none. */
  get(name: string): Promise<StoredFile | null>
  /** What is not there is removed already. */
  remove(name: string): Promise<void>
}

export interface StoredFile {
  readonly size: number
  /** Another one as soon as the bytes are others; quoted, as the header has it. */
  readonly etag: string
  readonly modifiedAt: Date
  /** The bytes from `start` to `end`, both included; all of them without a range. */
  read(range?: ByteRange): Readable
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Whether a text can be the name of a stored file; no such name leads out of its folder. */
export function isStorageName(text: string): boolean {
  return text.length <= 200 && /^\w[\w-]*(\.\w+)?$/.test(text)
}
