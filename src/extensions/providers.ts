import type { Readable } from 'node:stream'
import type { SearchProvider } from './search-provider.ts'
import type { TranslateProvider } from './translate-provider.ts'

export interface ProvidedMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface MailProvider {
  send(mail: ProvidedMail): Promise<void>
}

export interface ProvidedFile {
  readonly size: number
  /** Quoted, as in the header. Changes with the bytes. */
  readonly etag: string
  readonly modifiedAt: Date
  /** `end` is inclusive. */
  read(range?: { readonly start: number; readonly end: number }): Readable
}

/** Stores files by name. Names have letters, digits, `_`, `-` and at most one dot. */
export interface StorageProvider {
  readonly provider: string
  /** Takes the file at `path` and replaces an earlier file atomically. */
  put(name: string, path: string): Promise<void>
  /** At any time the file exists under at least one of both names. A missing file is ignored. */
  rename(from: string, to: string): Promise<void>
  get(name: string): Promise<ProvidedFile | null>
  remove(name: string): Promise<void>
  urlOf(name: string): string
  /** Lists files in no order. Concurrent changes may be missing. */
  list(): AsyncIterable<{ readonly name: string; readonly modifiedAt: Date }>
  leftovers(): AsyncIterable<{
    readonly what: string
    readonly modifiedAt: Date
    readonly remove: () => Promise<void>
  }>
}

/** At most one extension provides each. There is no built-in translation; the others replace the built-in ones. */
export interface Providers {
  readonly storage?: () => StorageProvider | Promise<StorageProvider>
  readonly mailer?: () => MailProvider | Promise<MailProvider>
  readonly search?: () => SearchProvider | Promise<SearchProvider>
  readonly translate?: () => TranslateProvider | Promise<TranslateProvider>
}
