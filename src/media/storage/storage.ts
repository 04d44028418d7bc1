import type { Readable } from 'node:stream'

export interface MediaStorage {
  readonly provider: string
  /** Moves the file at `path` under a name and replaces an earlier file atomically. */
  put(name: string, path: string): Promise<void>
  /** At any time the file exists under at least one of both names. A missing file is ignored. */
  rename(from: string, to: string): Promise<void>
  get(name: string): Promise<StoredFile | null>
  remove(name: string): Promise<void>
  urlOf(name: string): string
  /** Lists files in no order. Concurrent changes may be missing. */
  list(): AsyncIterable<StoredName>
  leftovers(): AsyncIterable<Leftover>
}

export interface StoredName {
  readonly name: string
  readonly modifiedAt: Date
}

export interface Leftover {
  readonly what: string
  readonly modifiedAt: Date
  readonly remove: () => Promise<void>
}

export interface StoredFile {
  readonly size: number
  /** Quoted, as in the header. Changes with the bytes. */
  readonly etag: string
  readonly modifiedAt: Date
  read(range?: ByteRange): Readable
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

export function uploadsPath(name: string): string {
  return `/uploads/${name}`
}

/** @throws Error for an invalid name, so that no client decides where a file is stored */
export function assertStorageName(text: string): void {
  if (!isStorageName(text))
    throw new Error(`${JSON.stringify(text)} is not the name of a stored file`)
}

export function isStorageName(text: string): boolean {
  return text.length <= 200 && /^\w[\w-]*(\.\w+)?$/.test(text)
}
