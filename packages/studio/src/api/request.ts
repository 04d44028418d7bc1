import { type CodedFault, sayFault, sayRefusal, spokenTexts } from '../texts/say-refusal.ts'
import type { Texts } from '../texts/texts.ts'
import { toQueryString, type QueryValue } from './query-string.ts'

/** One fault of an answer: where in what was sent, and what about it, in the language of the person. */
export interface Fault {
  readonly path: readonly string[]
  readonly message: string
}

/** An answer that says no, in the language of the person. `status` 0: there was no answer. */
export class ApiError extends Error {
  readonly status: number
  /** Of docs/errors.md. */
  readonly code: string
  readonly faults: readonly Fault[]

  constructor(status: number, message: string, code = '', faults: readonly Fault[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.faults = faults
  }
}

/** Whether the database took too long: the same question takes as long again. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof ApiError && error.status === 504
}

export interface Answer<Data, Meta = Readonly<Record<string, unknown>>> {
  readonly data: Data
  readonly meta: Meta
  /** For `ifMatch` of the next write. */
  readonly etag: string | null
}

export interface Sent {
  readonly query?: Readonly<Record<string, QueryValue>>
  /** JSON, or a form with files. */
  readonly body?: unknown
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
  /** Of a POST that may be sent again: it creates once. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal | undefined
  /** False: a 401 is the answer, and nobody is asked to sign in. */
  readonly signsIn?: boolean
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Resolves when somebody has signed in again; set by the shell. */
let signInAgain: (() => Promise<void>) | undefined

export function onSignedOut(handler: () => Promise<void>): void {
  signInAgain = handler
}

/**
 * Sends a request as the person who is signed in. Where the session has ended it waits until they have
 * signed in again and sends it once more: nothing that they typed is lost.
 * @throws ApiError for an answer that says no, or none
 */
export async function request<Data, Meta = Readonly<Record<string, unknown>>>(
  method: Method,
  path: string,
  sent: Sent = {},
): Promise<Answer<Data, Meta>> {
  const response = await send(method, path, sent)
  if (response.status === 401 && sent.signsIn !== false && signInAgain !== undefined) {
    await signInAgain()
    return answerOf(await send(method, path, sent))
  }
  return answerOf(response)
}

async function send(method: Method, path: string, sent: Sent): Promise<Response> {
  const { query = {}, signal } = sent
  try {
    return await fetch(path + toQueryString(query), {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      ...payloadOf(sent),
      ...(signal !== undefined && { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw unreachable()
  }
}

/** A form says by itself what it is. */
function payloadOf({
  body,
  ifMatch,
  ifNoneMatch,
  idempotencyKey,
}: Sent): Pick<RequestInit, 'headers' | 'body'> {
  const headers = new Headers({ Accept: 'application/json' })
  if (ifMatch !== undefined) headers.set('If-Match', ifMatch)
  if (ifNoneMatch !== undefined) headers.set('If-None-Match', ifNoneMatch)
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
  if (body === undefined) return { headers }
  if (body instanceof FormData) return { headers, body }
  headers.set('Content-Type', 'application/json')
  return { headers, body: JSON.stringify(body) }
}

async function answerOf<Data, Meta>(response: Response): Promise<Answer<Data, Meta>> {
  const text = await response.text()
  const json = parse(text)
  if (!response.ok) throw toError(response, json)
  const { data = null, meta = {} } = json
  return { data: data as Data, meta: meta as Meta, etag: response.headers.get('ETag') }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {}
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return {} // a proxy's page
  }
}

/** There was no answer. */
export function unreachable(): ApiError {
  return new ApiError(0, spokenTexts().t('error.network'))
}

/** Why one of many was refused, or something that was done later. */
export interface SentError {
  readonly message: string
  readonly code?: string
  readonly details?: { readonly errors?: readonly CodedFault[] }
}

export function sayError({ message, code = '', details }: SentError, texts: Texts): string {
  return sayRefusal({ message, code, faults: details?.errors ?? [] }, texts)
}

/** What an answer that is no 2xx says, as far as it is ours. */
export function toError(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  json: Readonly<Record<string, unknown>>,
): ApiError {
  const error = (json['error'] ?? {}) as {
    readonly message?: string
    readonly details?: { readonly errors?: readonly Partial<CodedFault>[] }
  }
  const texts = spokenTexts()
  const found = (error.details?.errors ?? []).map((fault): CodedFault => ({
    ...fault,
    path: fault.path ?? [],
    message: fault.message ?? '',
  }))
  const faults = found.map((fault) => ({
    path: fault.path.map(String),
    message: sayFault(fault, texts),
  }))
  const code = headers.get('Error-Code') ?? ''
  const refusal = { message: error.message ?? `HTTP ${status}`, code, faults: found }
  return new ApiError(status, sayRefusal(refusal, texts), code, faults)
}
