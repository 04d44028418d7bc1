import type { ListQuery, Page, PageQuery, ShownQuery } from '../collection.ts'
import type { ContentType } from '../content.ts'
import type { Entry, FieldName, Populate } from '../query-types.ts'
import type { SyncedContent, SyncName, SyncType } from './content-plan.ts'
import type { StoreStatus } from './follow-changes.ts'

/** What is read of a store: as of a server, but for what only a server can do. */
export interface StoreQuery<S extends ContentType, Locale>
  extends Pick<ListQuery<S, Locale>, 'filters' | 'sort'>, PageQuery {
  /** `*`: all locales of the store. @default the first one */
  readonly locale?: Locale | '*'
}

type FieldNames<S extends ContentType> = readonly FieldName<S>[]

/** A collection type in a store. */
export interface StoredCollection<S extends ContentType, Locale> {
  /** A page, or everything where no `pageSize` is given; read from memory. */
  query<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    query?: StoreQuery<S, Locale> & ShownQuery<S, Fields, Asked>,
  ): Page<Entry<S, Fields, Asked>>
  /** Null where the store does not hold it. */
  get<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    documentId: string,
    query?: { readonly locale?: Locale } & ShownQuery<S, Fields, Asked>,
  ): Entry<S, Fields, Asked> | null
  /** Calls with the new answer, once for each set of changes that may have changed it. Answers how to stop it. */
  subscribe<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    query: StoreQuery<S, Locale> & ShownQuery<S, Fields, Asked>,
    listener: (page: Page<Entry<S, Fields, Asked>>) => void,
  ): () => void
}

/** A single type in a store. */
export interface StoredSingle<S extends ContentType, Locale> {
  /** Null where there is none, or not in this locale. */
  get<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
  >(
    query?: { readonly locale?: Locale } & ShownQuery<S, Fields, Asked>,
  ): Entry<S, Fields, Asked> | null
}

/** Content on the device: types by the name of their path. */
export type Store<C extends SyncedContent, Name extends SyncName<C>, Locale> = {
  readonly [Each in Name]: SyncType<C, Each> extends infer S extends ContentType
    ? S['kind'] extends 'single'
      ? StoredSingle<S, Locale>
      : StoredCollection<S, Locale>
    : never
} & StoreControls

export interface StoreControls {
  $status(): StoreStatus
  /** Fetches what has changed, to the end. @throws QuireError, TypeError without a network, what the storage throws */
  $sync(signal?: AbortSignal): Promise<void>
  /** Fetches what changes from now on, in one tab of all; where it fails it tries again, later each time. Answers how to stop it. */
  $follow(): () => void
  /** Calls with the names of the types that have changed, once for each set of changes; with none where only the status has. */
  $subscribe(listener: (touched: ReadonlySet<string>) => void): () => void
  /** Deletes the whole store, as on a sign-out. */
  $clear(): Promise<void>
  $close(): Promise<void>
}

/** Conditions on attributes of the types' own. */
export type SyncFilters<C extends SyncedContent, Name extends SyncName<C>> = {
  readonly [Each in Name]?: Partial<SyncType<C, Each>['filters']>
}
