export class QuireError extends Error {
  readonly status: number
  /** A stable error code, such as `value_not_unique`. */
  readonly code: string | null
  /** Details of the error. A refused write lists every fault under `errors`. */
  readonly details: unknown
  /** Identifies the request in the log of the server. */
  readonly requestId: string | null
  /** Milliseconds until a retry makes sense, if the server says so. */
  readonly retryAfterMs: number | null

  constructor(response: Response, body: unknown) {
    const { error } = (body ?? {}) as { readonly error?: Told }
    super(error?.message ?? `The server answered ${response.status}`)
    this.name = error?.name ?? 'QuireError'
    this.status = response.status
    this.code = response.headers.get('Error-Code')
    this.details = error?.details
    this.requestId = response.headers.get('X-Request-Id')
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
    this.retryAfterMs = Number.isNaN(seconds) ? null : 1_000 * seconds
  }
}

interface Told {
  readonly name: string
  readonly message: string
  readonly details?: unknown
}

/** Parses the JSON body of a response, or its lines of JSON. Null if it has none. */
export async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    if (response.headers.get('Content-Type')?.includes('ndjson') === true) return parseLines(text)
    return text === '' ? null : JSON.parse(text)
  } catch {
    return null
  }
}

function parseLines(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line): unknown => JSON.parse(line))
}
