import type { Data, Uid } from '../schema/definition.ts'
import type { ContentService, ExtensionPrincipal } from './content-service.ts'
import type { ExtensionHost } from './extension-host.ts'

/** `create` also adds a locale to a document. */
export type WriteOperation = 'create' | 'update' | 'publish' | 'unpublish' | 'delete'

/** All values are in the form of the HTTP API: dates are texts, relations are as the request names them. */
export interface BeforeWriteEvent<Entry = Data, Payload = Data> {
  readonly contentType: Uid
  readonly operation: WriteOperation
  /** The documentId of a new document is final. */
  readonly documentId: string
  /** Null for types without locales. */
  readonly locale: string | null
  /** The status that the write addresses. */
  readonly status: 'draft' | 'published'
  /**
   * The given attributes, cast to their types, with the defaults of a creation. The hook may change
   * this object or return another one. Empty for `publish`, `unpublish` and `delete`.
   */
  readonly data: Payload
  /** The stored version that the write replaces, publishes or deletes. Null for a creation. */
  readonly previous: Readonly<Entry> | null
  /** The request only asks what it would do, so `content` refuses writes. */
  readonly dryRun: boolean
  readonly principal: ExtensionPrincipal
  /** Aborted at the deadline. */
  readonly signal: AbortSignal
  /** Refuses every call after the deadline. Its writes are commits of their own. */
  readonly content: ContentService
}

/** Returns the data to write. A ValidationError, ApplicationError or ForbiddenError refuses the write. */
export type BeforeWrite<Entry = Data, Payload = Data> = (
  event: BeforeWriteEvent<Entry, Payload>,
) => Returned<Payload> | Promise<Returned<Payload>>

type Returned<Payload> = Payload | undefined | void

export interface Registered<T> {
  readonly extension: string
  readonly run: T
}

export interface RegisteredHooks {
  readonly beforeWrite: ReadonlyMap<Uid, readonly Registered<BeforeWrite>[]>
  readonly host: ExtensionHost
}
