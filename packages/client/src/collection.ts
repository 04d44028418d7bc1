import type { ContentType } from './content.ts'
import type {
  Entry,
  FieldName,
  Filters,
  CheckedPopulate,
  Populate,
  ReadEntry,
  SortKey,
} from './query-types.ts'
import type { Call, CallOptions, Reply } from './call.ts'
import type { FacetName, RankedQuery, RankedSearch, SearchedName, SearchFacts } from './search.ts'
import type { Transport } from './transport.ts'

type Status = 'draft' | 'published'

export type PublicationFilter =
  | 'never-published'
  | 'has-published-version'
  | 'modified'
  | 'unmodified'
  | 'published-without-draft'
  | 'published-with-draft'
  | 'never-published-document'
  | 'has-published-version-document'

export interface ShownQuery<S extends ContentType, Fields, Asked> {
  readonly fields?: Fields
  readonly populate?: Asked & CheckedPopulate<S, Asked>
}

export interface VersionQuery<Locale, Version = Status> {
  readonly locale?: Locale
  readonly fallbackLocale?: readonly Locale[]
  readonly status?: Version
  readonly publicationFilter?: PublicationFilter
}

export interface ListQuery<S extends ContentType, Locale, Version = Status> extends VersionQuery<
  Locale | '*',
  Version
> {
  readonly filters?: Filters<S>
  readonly sort?: SortKey<S> | readonly SortKey<S>[]
  /** Entries that contain this text. */
  readonly search?: string
}

export interface PageQuery {
  readonly page?: number
  readonly pageSize?: number
}

export interface CursorQuery<Cursor> {
  /** The `nextCursor` of the previous page. `''` requests the first page. */
  readonly cursor?: Cursor
}

interface Found<T, Facts> {
  readonly entries: T[]
  readonly total: number
  /** In meters, in the order of `entries`. Only in an order by distance. */
  readonly distances?: number[]
  /** Only in an order by relevance. */
  readonly search?: Facts
}

export interface Page<T, Facts = SearchFacts> extends Found<T, Facts> {
  readonly page: number
  readonly pageCount: number
}

/** A page that was requested by cursor. It stays correct while others write. */
export interface CursorPage<T, Facts = SearchFacts> extends Found<T, Facts> {
  /** Null on the last page. */
  readonly nextCursor: string | null
}

type FoundPage<S extends ContentType, T, Cursor> = [Cursor] extends [undefined]
  ? Page<T, FactsOf<S>>
  : CursorPage<T, FactsOf<S>>

type FactsOf<S extends ContentType> = SearchFacts<SearchedName<S>, FacetName<S>>

type FieldNames<S extends ContentType> = readonly FieldName<S>[]
type Id = string | { readonly documentId: string }

export interface WriteOptions<Locale, Version = Status> extends CallOptions {
  readonly locale?: Locale
  readonly status?: Version
}

/** The response to a write. */
type Written<S extends ContentType, Version = undefined> = Entry<S, undefined, undefined, Version>

/** A draft may lack required attributes. */
type NewData<S extends ContentType, Version> = [Version] extends ['draft']
  ? S['update']
  : S['create']

interface Publishing<S extends ContentType, Locale> {
  publish(of: Id, options?: WriteOptions<Locale>): Promise<Written<S>>
  unpublish(of: Id, options?: WriteOptions<Locale>): Promise<Written<S, 'draft'>>
  discardDraft(of: Id, options?: WriteOptions<Locale>): Promise<Written<S, 'draft'>>
}

export interface Collection<S extends ContentType, Locale> extends Publishing<S, Locale> {
  /** Returns a page of entries, by number or by cursor. */
  find<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
    Cursor extends string | undefined = undefined,
    const Version extends Status | undefined = undefined,
  >(
    query?: ListQuery<S, Locale, Version> &
      RankedQuery<S> &
      PageQuery &
      CursorQuery<Cursor> &
      ShownQuery<S, Fields, Asked>,
    options?: CallOptions,
  ): Promise<FoundPage<S, ReadEntry<S, Fields, Asked, Version>, Cursor>>
  /** Iterates over all entries and loads the pages on demand. Safe against concurrent writes. */
  all<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
    const Version extends Status | undefined = undefined,
  >(
    query?: ListQuery<S, Locale, Version> &
      RankedQuery<S> &
      Pick<PageQuery, 'pageSize'> &
      ShownQuery<S, Fields, Asked>,
    options?: CallOptions,
  ): AsyncGenerator<ReadEntry<S, Fields, Asked, Version>, void, undefined>
  /** @throws QuireError with the status 404 */
  get<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
    const Version extends Status | undefined = undefined,
  >(
    documentId: string,
    query?: VersionQuery<Locale, Version> & ShownQuery<S, Fields, Asked>,
    options?: CallOptions,
  ): Promise<ReadEntry<S, Fields, Asked, Version>>
  /** Creates a single entry, even if the request is retried. */
  create<const Version extends Status | undefined = undefined>(
    data: NewData<S, Version>,
    options?: WriteOptions<Locale, Version>,
  ): Promise<Written<S, Version>>
  /**
   * An entry from `get`, `create` or `update` fails with a QuireError (412) if another client has
   * changed it since. A documentId updates the current version.
   */
  update<const Version extends Status | undefined = undefined>(
    of: Id,
    data: S['update'],
    options?: WriteOptions<Locale, Version>,
  ): Promise<Written<S, Version>>
  delete(of: Id, options?: CallOptions & { readonly locale?: Locale | '*' }): Promise<void>
}

/** The operations on one single type. */
export interface Single<S extends ContentType, Locale> {
  get<
    const Fields extends FieldNames<S> | undefined = undefined,
    const Asked extends Populate<S> | undefined = undefined,
    const Version extends Status | undefined = undefined,
  >(
    query?: VersionQuery<Locale, Version> & ShownQuery<S, Fields, Asked>,
    options?: CallOptions,
  ): Promise<ReadEntry<S, Fields, Asked, Version>>
  update<const Version extends Status | undefined = undefined>(
    data: S['update'],
    options?: WriteOptions<Locale, Version>,
  ): Promise<Written<S, Version>>
  delete(options?: CallOptions & { readonly locale?: Locale | '*' }): Promise<void>
}

type Options = CallOptions & { readonly locale?: string; readonly status?: Status }
interface AnyEntry {
  readonly documentId: string
}

const tags = new WeakMap<object, string>()

export interface UntypedCollection {
  find(query?: object, options?: CallOptions): Promise<Page<AnyEntry> | CursorPage<AnyEntry>>
  all(query?: object, options?: CallOptions): AsyncGenerator<AnyEntry, void, undefined>
  get(path: string, query?: object, options?: CallOptions): Promise<AnyEntry>
  create(data: object, options?: Options): Promise<AnyEntry>
  update(of: Id, data: object, options?: Options): Promise<AnyEntry>
  delete(of: Id, options?: Options): Promise<void>
  publish(of: Id, options?: Options): Promise<AnyEntry>
  unpublish(of: Id, options?: Options): Promise<AnyEntry>
  discardDraft(of: Id, options?: Options): Promise<AnyEntry>
}

export function openCollection(transport: Transport, name: string): UntypedCollection {
  const at = (of: Id): string =>
    `${name}/${encodeURIComponent(typeof of === 'string' ? of : of.documentId)}`
  const act =
    (verb: string) =>
    async (of: Id, options: Options = {}) =>
      entryOf(
        await transport.send(write('POST', `${at(of)}/actions/${verb}`, undefined, options, of)),
      )
  return {
    find: async (query = {}, options = {}) => {
      const { page, pageSize, cursor, ...asked } = queryOf(query)
      const pagination = { page, pageSize, cursor }
      const listed = await list(transport, name, { ...asked, pagination }, options)
      return pageOf(listed, cursor)
    },
    all: (query = {}, options = {}) => readAll(transport, name, queryOf(query), options),
    get: async (path, query = {}, options = {}) =>
      entryOf(
        await transport.send({ method: 'GET', path: at(path), query: queryOf(query), ...options }),
      ),
    create: async (data, options = {}) =>
      entryOf(
        await transport.send({
          ...write('POST', name, data, options),
          repeatable: true,
          headers: { 'Idempotency-Key': randomKey() },
        }),
      ),
    update: async (of, data, options = {}) =>
      entryOf(await transport.send(write('PUT', at(of), data, options, of))),
    delete: async (of, options = {}) => {
      await transport.send(write('DELETE', at(of), undefined, options, of))
    },
    publish: act('publish'),
    unpublish: act('unpublish'),
    discardDraft: act('discard'),
  }
}

export function openSingle(transport: Transport, name: string) {
  return {
    get: async (query: object = {}, options: CallOptions = {}) =>
      entryOf(
        await transport.send({ method: 'GET', path: name, query: queryOf(query), ...options }),
      ),
    update: async (data: object, options: Options = {}) =>
      entryOf(await transport.send(write('PUT', name, data, options))),
    delete: async (options: Options = {}) => {
      await transport.send(write('DELETE', name, undefined, options))
    },
  }
}

interface Listed {
  readonly data: AnyEntry[]
  readonly meta: {
    readonly pagination: {
      readonly total?: number
      readonly page?: number
      readonly pageCount?: number
      readonly nextCursor?: string | null
    }
    readonly distances?: number[]
    readonly search?: SearchFacts
  }
}

function pageOf(
  { data: entries, meta: { pagination, distances, search } }: Listed,
  cursor: string | undefined,
): Page<AnyEntry> | CursorPage<AnyEntry> {
  const { total = 0, page = 1, pageCount = 0, nextCursor = null } = pagination
  const more = {
    ...(distances !== undefined && { distances }),
    ...(search !== undefined && { search }),
  }
  return cursor === undefined
    ? { entries, total, page, pageCount, ...more }
    : { entries, total, nextCursor, ...more }
}

async function* readAll(
  transport: Transport,
  name: string,
  { pageSize = 100, ...asked }: Asked,
  options: CallOptions,
): AsyncGenerator<AnyEntry, void, undefined> {
  let cursor: string | null = ''
  while (cursor !== null) {
    const pagination = { cursor, pageSize, withCount: false }
    const page: Listed = await list(transport, name, { ...asked, pagination }, options)
    yield* page.data
    cursor = page.meta.pagination.nextCursor ?? null
  }
}

async function list(
  transport: Transport,
  path: string,
  query: object,
  options: CallOptions,
): Promise<Listed> {
  return (await transport.send({ method: 'GET', path, query, ...options })).body as Listed
}

interface Asked {
  readonly page?: number
  readonly cursor?: string
  readonly pageSize?: number
  readonly _q: string | undefined
  readonly search: string | RankedSearch<string> | undefined
  readonly fallbackLocale: string | undefined
}

function queryOf(query: object): Asked {
  const { search, rank, fallbackLocale, ...rest } = query as {
    readonly search?: string
    readonly rank?: string | RankedSearch<string>
    readonly fallbackLocale?: readonly string[]
  }
  return { ...rest, _q: search, search: rank, fallbackLocale: fallbackLocale?.join(',') }
}

function write(
  method: Call['method'],
  path: string,
  data: object | undefined,
  { locale, status, signal }: Options,
  of?: Id,
): Call {
  const tag = typeof of === 'object' ? tags.get(of) : undefined
  return {
    method,
    path,
    query: { locale, status },
    ...(data !== undefined && { body: { data } }),
    ...(tag !== undefined && { headers: { 'If-Match': tag } }),
    ...(signal !== undefined && { signal }),
  }
}

function entryOf({ body, etag }: Reply): AnyEntry {
  const entry = (body as { readonly data: AnyEntry }).data
  if (etag !== null) tags.set(entry, etag)
  return entry
}

function randomKey(): string {
  // React Native lacks `crypto`. The key must be unique, not secret.
  const { crypto } = globalThis as { readonly crypto?: { randomUUID?: () => string } }
  return crypto?.randomUUID?.() ?? `${Date.now()}-${Math.random()}-${Math.random()}`
}
