import { type Auth, openAuth } from './auth.ts'
import { openBulk, type RunBulk } from './bulk.ts'
import { type Collection, openCollection, openSingle, type Single } from './collection.ts'
import type { Content, ContentType } from './content.ts'
import { type Files, openFiles } from './files.ts'
import { openQueries, type RunQuery } from './named-queries.ts'
import type { Call } from './call.ts'
import { openSearch, type RunSearch } from './search.ts'
import { type ClientOptions, openTransport } from './transport.ts'

export type * from './content.ts'
export type * from './sync/content-plan.ts'
export type { Entry, Filters, Populate, SortKey } from './query-types.ts'
export type {
  Collection,
  CursorPage,
  ListQuery,
  Page,
  PublicationFilter,
  Single,
  WriteOptions,
} from './collection.ts'
export type { BulkFailure, BulkLine, BulkOptions, BulkResult, DocumentKey } from './bulk.ts'
export type { Call, CallOptions } from './call.ts'
export type { ClientOptions } from './transport.ts'
export type { NamedQuery, QueryGroups, QueryPage } from './named-queries.ts'
export type { Facet, RankedSearch, SearchFacts, SearchGroup, SearchOptions } from './search.ts'
export type { Session, SessionStorage } from './session.ts'
export type { FileTranslations, NativeFile, UploadedFile, UploadOptions } from './files.ts'
export { TimeoutError } from './with-timeout.ts'
export { QuireError } from './quire-error.ts'

export type Kinds<C extends Content> = {
  readonly [Name in keyof C['types']]: C['types'][Name] extends ContentType
    ? C['types'][Name]['kind']
    : never
}

export type Client<C extends Content> = {
  readonly [Name in keyof C['types']]: C['types'][Name] extends infer S extends ContentType
    ? S['kind'] extends 'single'
      ? Single<S, C['locales']>
      : Collection<S, C['locales']>
    : never
} & Others<C>

interface Others<C extends Content> {
  readonly $auth: Auth
  readonly $files: Files
  /** Creates, changes and deletes many documents. */
  readonly $bulk: RunBulk<C>
  readonly $query: RunQuery<C>
  /** Searches several content-types by relevance. */
  readonly $search: RunSearch<C>
  /** Sends any other request. `path` is relative to `/api`. */
  readonly $send: (call: Call) => Promise<unknown>
}

/** Creates a client. `quire client ts` generates its types and `kinds`. */
export function createClient<C extends Content>(
  kinds: Kinds<C>,
  options: ClientOptions,
): Client<C> {
  const transport = openTransport(options)
  const types = Object.entries<'collection' | 'single'>(kinds as Record<string, 'collection'>).map(
    ([name, kind]) => [
      name,
      kind === 'single' ? openSingle(transport, name) : openCollection(transport, name),
    ],
  )
  const others: Others<C> = {
    $auth: openAuth(transport),
    $files: openFiles(transport),
    $bulk: openBulk(transport),
    $query: openQueries(transport) as RunQuery<C>,
    $search: openSearch(transport) as RunSearch<C>,
    $send: async (call) => (await transport.send(call)).body,
  }
  return { ...(Object.fromEntries(types) as object), ...others } as Client<C>
}
