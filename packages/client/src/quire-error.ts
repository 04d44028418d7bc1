/** What the server refused, or could not do. */
export class QuireError extends Error {
  readonly status: number
  /** A stable name of what went wrong, such as `value_not_unique`. */
  readonly code: string | null
  /** Where it went wrong: of a write every fault, under `errors`. */
  readonly details: unknown
  /** Names the request in the server's log. */
  readonly requestId: string | null

  constructor(response: Response, body: unknown) {
    const { error } = (body ?? {}) as { readonly error?: Told }
    super(error?.message ?? `The server answered ${response.status}`)
    this.name = error?.name ?? 'QuireError'
    this.status = response.status
    this.code = response.headers.get('Error-Code')
    this.details = error?.details
    this.requestId = response.headers.get('X-Request-Id')
  }
}

interface Told {
  readonly name: string
  readonly message: string
  readonly details?: unknown
}

/** The JSON of an answer; null where there is none. */
export async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return null
  }
}
