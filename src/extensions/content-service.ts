import type { Data } from '../schema/definition.ts'
import type { ProjectContent } from './project-types.ts'

/** The author of a request or of background work. */
export interface ExtensionPrincipal {
  readonly kind:
    | 'anonymous'
    | 'user'
    | 'apiToken'
    | 'administrator'
    | 'root'
    | 'preview'
    | 'cli'
    | 'extension'
    | 'system'
  /** The documentId of a user, the id of an API token or administrator. Otherwise null. */
  readonly id: string | number | null
  readonly name: string | null
}

/** The document service for extensions, with the rules of the HTTP API. `npx quire types` adds the content-types. */
export type ContentService = keyof ProjectContent extends never
  ? Readonly<Record<string, DocumentService>>
  : ProjectContent

/** The permissions of this principal apply. `system` may do everything. */
export interface ActingAs {
  readonly as: ExtensionPrincipal | 'system'
}

export interface WritingAs extends ActingAs {
  /** The default locale is the default. */
  readonly locale?: string
  /** The default is `published`, as in the HTTP API. */
  readonly status?: 'draft' | 'published'
}

export interface ActionAs extends ActingAs {
  /** The default locale is the default. `*` means all locales. */
  readonly locale?: string
}

/**
 * The parameters of a query string, as an object: `filters`, `sort`, `fields`, `populate`, `pagination`, `locale`,
 * `status`. Numbers, booleans, dates and null are allowed as values.
 */
export type ContentQuery = Readonly<Record<string, unknown>>

export interface ContentPage<Entry> {
  readonly data: readonly Entry[]
  readonly meta: {
    readonly pagination: ContentPagination
    /** In meters, in the order of `data`. Only in an order by distance. */
    readonly distances?: readonly number[]
  }
}

/** The members depend on the kind of pagination in the query. */
export interface ContentPagination {
  readonly page?: number
  readonly pageSize?: number
  readonly pageCount?: number
  readonly start?: number
  readonly limit?: number
  /** Absent if the entries were not counted. */
  readonly total?: number
  /** Null on the last page. */
  readonly nextCursor?: string | null
}

/** Throws the errors of the HTTP API, such as ValidationError, ForbiddenError and NotFoundError. */
export interface DocumentService<Entry = Data, Creation = Data, Update = Data> {
  find(query: ContentQuery, acting: ActingAs): Promise<ContentPage<Entry>>
  /** Counts at most as many entries as a list does. */
  count(query: ContentQuery, acting: ActingAs): Promise<number>
  /** Null if there is no such entry. */
  findOne(documentId: string, query: ContentQuery, acting: ActingAs): Promise<Entry | null>
  create(data: Creation, writing: WritingAs): Promise<Entry>
  update(documentId: string, data: Update, writing: WritingAs): Promise<Entry>
  publish(documentId: string, acting: ActionAs): Promise<Entry>
  unpublish(documentId: string, acting: ActionAs): Promise<void>
  delete(documentId: string, acting: ActionAs): Promise<void>
}

/** The service of a single type. */
export interface SingleService<Entry = Data, Update = Data> {
  /** Null if there is no entry. */
  find(query: ContentQuery, acting: ActingAs): Promise<Entry | null>
  update(data: Update, writing: WritingAs): Promise<Entry>
  publish(acting: ActionAs): Promise<Entry>
  unpublish(acting: ActionAs): Promise<void>
  delete(acting: ActionAs): Promise<void>
}
