/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api`. */
  readonly path: string
  readonly query?: object
  /** JSON, or a form as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** It may be sent again although it may have been carried out. */
  readonly repeatable?: boolean
  /** The server may wait this long before it responds; added to the timeout of the client. */
  readonly waitMs?: number
  /** False: its answer is not kept for revalidation by its tag. */
  readonly isKept?: boolean
}

export interface Reply {
  readonly body: unknown
  /** Of an entry, for conditional writes. */
  readonly etag: string | null
}
