import type { ListQuery, Page, PageQuery, ShownQuery } from '../collection.ts'
import type { ContentType } from '../content.ts'
import type { Entry, FieldName, Populate } from '../query-types.ts'
import type { SearchedName } from '../search.ts'
import type { SyncedContent, SyncName, SyncType } from './content-plan.ts'
import type { StoreStatus } from './follow-changes.ts'
import type { OutboxControls, PatchOf, UpdateOptions, WriteLocale } from './outbox-controls.ts'
import type { FileOutbox } from './upload-files.ts'

/** The queries of a store: like those of the server, except for features that need the server. */
export interface StoreQuery<S extends ContentType, Locale>
  extends Pick<ListQuery<S, Locale>, 'filters' | 'sort'>, PageQuery {
  /** `*` means all locales of the store. @default the first locale */
  readonly locale?: Locale | '*'
  /**
   * Finds words that begin with a text or contain it. The entries with the most and the weightiest matches come first,
   * and `sort` orders equal ones. For content-types with the option `search`.
   */
  readonly rank?: [SearchedName<S>] extends [never] ? never : string
}

type FieldNames<S extends ContentType> = readonly FieldName<S>[]

export interface StoredCollection<S extends ContentType, Locale, Version> {
  /**
   * Stores a change, shows it and sends it when there is a network. Returns the documentId.
   * @throws Error without `user`; the error of the storage
   */
  create(data: S['create'], options?: WriteLocale<Locale>): Promise<string>
  /** @throws Error also if the store has no such entry */
  update(documentId: string, data: S['update'], options?: UpdateOptions<S, Locale>): Promise<void>
  /** Changes attributes by operations, such as `{ stock: { inc: 1 } }`. */
  patch(documentId: string, patch: PatchOf<S>, options?: WriteLocale<Locale>): Promise<void>
  delete(documentId: string, options?: WriteLocale<Locale>): Promise<void>
  /** For stores of drafts. */
  publish(documentId: string, options?: WriteLocale<Locale>): Promise<void>
  /** Reads a page from memory, or all entries without a `pageSize`. */
  query<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    query?: StoreQuery<S, Locale> & ShownQuery<S, Fields, Asked>,
  ): Page<Entry<S, Fields, Asked, Version>>
  get<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    documentId: string,
    query?: { readonly locale?: Locale } & ShownQuery<S, Fields, Asked>,
  ): Entry<S, Fields, Asked, Version> | null
  /**
   * Calls back once per step that may have changed the result. Returns a function that ends this.
   */
  subscribe<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    query: StoreQuery<S, Locale> & ShownQuery<S, Fields, Asked>,
    listener: (page: Page<Entry<S, Fields, Asked, Version>>) => void,
  ): () => void
}

export interface StoredSingle<S extends ContentType, Locale, Version> {
  update(data: S['update'], options?: UpdateOptions<S, Locale>): Promise<void>
  patch(patch: PatchOf<S>, options?: WriteLocale<Locale>): Promise<void>
  publish(options?: WriteLocale<Locale>): Promise<void>
  /** Returns null if there is no entry, or none in this locale. */
  get<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    query?: { readonly locale?: Locale } & ShownQuery<S, Fields, Asked>,
  ): Entry<S, Fields, Asked, Version> | null
}

/** A store: one property per content-type, and the `$` members. */
export type Store<
  C extends SyncedContent,
  Name extends SyncName<C>,
  Locale,
  Version = undefined,
> = {
  readonly [Each in Exclude<Name, '$files'>]: SyncType<C, Each> extends infer S extends ContentType
    ? S['kind'] extends 'single'
      ? StoredSingle<S, Locale, Version>
      : StoredCollection<S, Locale, Version>
    : never
} & StoreControls &
  ('$files' extends Name ? { readonly $files: StoredFiles<C['files'], Locale, Version> } : object)

export type StoredFiles<S extends ContentType, Locale, Version> = Pick<
  StoredCollection<S, Locale, Version>,
  'query' | 'get' | 'subscribe'
>

export interface StoreControls extends OutboxControls {
  readonly $files: FileOutbox
  $status(): StoreStatus
  /**
   * Sends the changes of the user, then loads those of the server. @throws QuireError, TypeError
   * without a network, PushDelayed, the error of the storage
   */
  $sync(signal?: AbortSignal): Promise<void>
  /** Sends and loads changes continuously, in one tab at a time. Returns a function that stops it. */
  $follow(): () => void
  /**
   * Called with the names of the changed types, once per step. Empty if only the status changed.
   */
  $subscribe(listener: (touched: ReadonlySet<string>) => void): () => void
  $close(): Promise<void>
}

/** Conditions on the own attributes of each type. */
export type SyncFilters<C extends SyncedContent, Name extends SyncName<C>> = {
  readonly [Each in Name]?: Partial<SyncType<C, Each>['filters']>
}
