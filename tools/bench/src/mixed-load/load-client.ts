import { setTimeout as wait } from 'node:timers/promises'

import type { Refusal } from './shapes.ts'

export interface LoadResponse {
  readonly status: number
  readonly headers: Headers
  /** The parsed body. Null if it is not JSON. See `shapes.ts`. */
  readonly body: unknown
}

export interface LoadRequest {
  /** Sent as JSON, or as a form. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Allowed statuses, in addition to 409, 503 and 504. */
  readonly expected: readonly number[]
  /** Further statuses that ask for a retry. */
  readonly later?: readonly number[]
}

export interface LoadClientOptions {
  /** Read again for each request, so that the caller can change an address. */
  readonly bases: readonly string[]
  readonly token: string | null
  /** A slower request counts as hanging. */
  readonly timeoutMs: number
  /** Maximum random pause before each request. */
  readonly pauseMs: number
}

const MAX_FAULTS = 50

const TRY_AGAIN: ReadonlySet<number> = new Set([409, 503, 504])

interface Counts {
  requests: number
  readonly statuses: Map<string, number>
  readonly wrong: string[]
}

const newCounts = (): Counts => ({ requests: 0, statuses: new Map(), wrong: [] })

/** Sends requests to the servers in turn, counts responses and records faults. */
export class LoadClient {
  readonly #options: LoadClientOptions
  readonly #counts: Counts

  constructor(options: LoadClientOptions, counts = newCounts()) {
    this.#options = options
    this.#counts = counts
  }

  get requests(): number {
    return this.#counts.requests
  }

  get statuses(): ReadonlyMap<string, number> {
    return this.#counts.statuses
  }

  get wrong(): readonly string[] {
    return this.#counts.wrong
  }

  /** A client with another token and the same counts. */
  as(token: string | null): LoadClient {
    return new LoadClient({ ...this.#options, token }, this.#counts)
  }

  /**
   * Returns null if the outcome is unknown: a 503, a 504, a lost connection, or a 409 while an
   * interrupted request with the same key may still run.
   */
  async ask(method: string, path: string, asked: LoadRequest): Promise<LoadResponse | null> {
    const { bases, pauseMs } = this.#options
    if (pauseMs > 0) await wait(Math.random() * pauseMs)
    const base = bases[this.#counts.requests % bases.length] ?? ''
    this.#counts.requests += 1
    const sent = await this.#send(method, base + path, asked)
    if (sent === null) return null
    const { response, text } = sent
    this.#count(`${method} ${response.status}`)
    const body = parse(text)
    if (TRY_AGAIN.has(response.status)) {
      this.#checkRefusal(method, path, response, body)
      return null
    }
    if (asked.later?.includes(response.status) === true) return null
    if (!asked.expected.includes(response.status)) {
      this.complain(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
    }
    return { status: response.status, headers: response.headers, body }
  }

  /** Repeats an idempotent request until it is answered. Returns null if `isOver` comes first. */
  async askUntilAnswered(
    method: string,
    path: string,
    asked: LoadRequest,
    isOver: () => boolean,
  ): Promise<LoadResponse | null> {
    for (;;) {
      const answer = await this.ask(method, path, asked)
      if (answer !== null || isOver()) return answer
      await wait(200 + Math.random() * 300)
    }
  }

  async #send(
    method: string,
    url: string,
    { body, headers }: LoadRequest,
  ): Promise<{ readonly response: Response; readonly text: string } | null> {
    const { token, timeoutMs } = this.#options
    const isJson = body !== undefined && !(body instanceof FormData)
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(isJson && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { response, text: await response.text() }
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') {
        this.complain(`${method} ${url} hangs: no answer within ${timeoutMs} ms`)
      }
      this.#count(`${method} broken`)
      return null
    }
  }

  complain(what: string): void {
    if (this.wrong.length < MAX_FAULTS) this.#counts.wrong.push(what)
  }

  #checkRefusal(method: string, path: string, { status, headers }: Response, body: unknown): void {
    const refusal = body as Refusal | null
    if (refusal?.data !== null || refusal.error?.status !== status) {
      this.complain(`${method} ${path}: a ${status} without the envelope`)
    }
    if (status !== 504 && headers.get('retry-after') === null) {
      this.complain(`${method} ${path}: a ${status} without Retry-After`)
    }
  }

  #count(what: string): void {
    this.#counts.statuses.set(what, (this.statuses.get(what) ?? 0) + 1)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
