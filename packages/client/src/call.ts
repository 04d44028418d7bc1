/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to `/api`. */
  readonly path: string
  readonly query?: object
  /** A form or a `Blob` is sent as it is, everything else as JSON. */
  readonly body?: unknown
  /** Sent as lines of JSON, in place of a body. */
  readonly lines?: readonly object[]
  readonly headers?: Readonly<Record<string, string>>
  /** True if the request may be retried although the server may have executed it. */
  readonly repeatable?: boolean
  /** How long the server may wait before it responds. Added to the timeout of the client. */
  readonly waitMs?: number
  /** False: the request has no session of a user, only the API token of the client. */
  readonly asUser?: boolean
  /** False: the response is not cached for revalidation by its ETag. */
  readonly isKept?: boolean
}

export interface Reply {
  readonly body: unknown
  /** The ETag of an entry, for conditional writes. */
  readonly etag: string | null
}
