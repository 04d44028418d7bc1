import type { Readable } from 'node:stream'
import { isPrivateName } from '../private-names.ts'

export interface MediaStorage {
  readonly provider: string
  /** Moves the file at `path` under a name and replaces an earlier file atomically. */
  put(name: string, path: string): Promise<void>
  /** At any time the file exists under at least one of both names. A missing file is ignored. */
  rename(from: string, to: string): Promise<void>
  /** The largest file that `rename` moves. Absent without a limit. */
  readonly maxRenameBytes?: number
  get(name: string): Promise<StoredFile | null>
  remove(name: string): Promise<void>
  urlOf(name: string): string
  /** An address at the storage itself that expires. Absent if clients cannot reach the storage. */
  presign?(name: string, period: SignedPeriod): Promise<string>
  /** Concurrent changes may be missing. */
  /** Uploads that clients send to the storage itself. Absent if the storage takes none. */
  readonly direct?: DirectUploads
  list(): AsyncIterable<StoredName>
  leftovers(): AsyncIterable<Leftover>
}

export interface DirectUploads {
  /** A form that takes one file of at most `maxBytes` under the key. */
  form(key: string, terms: FormTerms): Promise<UploadForm>
  /** Null until the client has sent the file. */
  get(key: string): Promise<StoredFile | null>
  /** @throws PreconditionFailedError if the file has changed since `etag` */
  take(key: string, etag: string, name: string): Promise<void>
  remove(key: string): Promise<void>
}

export interface FormTerms {
  readonly maxBytes: number
  readonly now: Date
  readonly expires: Date
}

/** The fields come before the file in the form. */
export interface UploadForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

export interface SignedPeriod {
  readonly from: Date
  readonly expires: Date
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

/** The address that a record holds. Private files and replaced files are served by this server only. */
export function addressOfPart(
  storage: Pick<MediaStorage, 'urlOf'>,
  name: string,
  generation: string | undefined,
): string {
  const isServedHere = generation !== undefined || isPrivateName(name)
  return isServedHere ? uploadsPath(name) : storage.urlOf(name)
}

/** @throws Error for an invalid name, so that no client decides where a file is stored */
export function assertStorageName(text: string): void {
  if (!isStorageName(text))
    throw new Error(`${JSON.stringify(text)} is not the name of a stored file`)
}

export function isStorageName(text: string): boolean {
  return text.length <= 200 && /^\w[\w-]*(\.\w+)?$/.test(text)
}
