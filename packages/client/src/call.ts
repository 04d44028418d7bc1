/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to `/api`. */
  readonly path: string
  readonly query?: object
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** True if the request may be retried although the server may have executed it. */
  readonly repeatable?: boolean
  /** How long the server may wait before it responds. Added to the timeout of the client. */
  readonly waitMs?: number
  /** False: the response is not cached for revalidation by its ETag. */
  readonly isKept?: boolean
}

export interface Reply {
  readonly body: unknown
  /** The ETag of an entry, for conditional writes. */
  readonly etag: string | null
}
