import type { Readable } from 'node:stream'

/** Where the bytes of files are. Names are made here and nowhere else: see `isStorageName`. */
export interface MediaStorage {
  /** As in its record. */
  readonly provider: string
  /**
   * Takes the file at `path` over, under a name. What the name held before is replaced in one step:
   * who reads at the same time gets the one or the other.
   */
  put(name: string, path: string): Promise<void>
  /**
   * Who reads at the same time finds the file under one of both names at least. What is not there is left at that.
   */
  rename(from: string, to: string): Promise<void>
  /** Null when there is none. */
  get(name: string): Promise<StoredFile | null>
  /** What is not there is removed already. */
  remove(name: string): Promise<void>
  /** The address that a file is fetched at: a path of this server, or where else it is served. */
  urlOf(name: string): string
  /** What is stored, in no order. What comes or goes meanwhile may be in it or not. */
  list(): AsyncIterable<StoredName>
  /** What is no file, or not yet: of writes that are on their way, or that ended half-way. */
  leftovers(): AsyncIterable<Leftover>
}

export interface StoredName {
  readonly name: string
  readonly modifiedAt: Date
}

export interface Leftover {
  /** For people: what it is, and where. */
  readonly what: string
  readonly modifiedAt: Date
  /** What is not there is removed already. */
  readonly remove: () => Promise<void>
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

/** The path of this server under which it serves a file. */
export function uploadsPath(name: string): string {
  return `/uploads/${name}`
}

/** @throws Error for what is not the name of a stored file: no client decides what is stored. */
export function assertStorageName(text: string): void {
  if (!isStorageName(text))
    throw new Error(`${JSON.stringify(text)} is not the name of a stored file`)
}

/** Whether a text can be the name of a stored file; no such name leads out of its folder. */
export function isStorageName(text: string): boolean {
  return text.length <= 200 && /^\w[\w-]*(\.\w+)?$/.test(text)
}
