import { serializeQuery } from '@quire/client/serialize-query'
import { type CodedFault, sayFault, sayRefusal, spokenTexts } from '../texts/say-refusal.ts'
import type { Texts } from '../texts/texts.ts'

export type QueryValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly QueryValue[]
  | { readonly [name: string]: QueryValue }

/** A fault in the language of the user; `path` points into the request body. */
export interface Fault {
  readonly path: readonly string[]
  readonly message: string
  /** The part of the message that is in English, in any language of the user. */
  readonly english?: string
}

/** An error response, in the language of the user. `status` is 0 if there was no response. */
export class ApiError extends Error {
  readonly status: number
  /** A code of docs/errors.md. */
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

/** Whether the database timed out. A retry of the same query would time out, too. */
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
  readonly body?: unknown
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
  /** Makes a POST safe to retry: the server creates once. */
  readonly idempotencyKey?: string
  /** Names the request in the events of its changes. */
  readonly requestId?: string
  readonly signal?: AbortSignal | undefined
  /** False returns a 401 to the caller instead of asking for a sign-in. */
  readonly signsIn?: boolean
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `ended`: there is no session. `old`: the request needs a recent sign-in. */
export type SignInReason = 'ended' | 'old'

/** Returns false if the user does not sign in. The shell sets it. */
let signInAgain: ((reason: SignInReason) => Promise<boolean>) | undefined

export function onSignInNeeded(handler: (reason: SignInReason) => Promise<boolean>): void {
  signInAgain = handler
}

/** Returns whether a request without a session may be sent again. */
export async function signInForUpload(): Promise<boolean> {
  return signInAgain !== undefined && (await signInAgain('ended'))
}

/**
 * Sends a request with the session of the user. If the session has ended, the request waits for a
 * new sign-in and is sent again, so that no input is lost.
 * @throws ApiError for an error response, or without a response
 */
export async function request<Data, Meta = Readonly<Record<string, unknown>>>(
  method: Method,
  path: string,
  sent: Sent = {},
): Promise<Answer<Data, Meta>> {
  const response = await send(method, path, sent)
  const reason = sent.signsIn === false ? null : reasonToSignIn(response)
  if (reason !== null && signInAgain !== undefined && (await signInAgain(reason))) {
    return answerOf(await send(method, path, sent))
  }
  return answerOf(response)
}

/**
 * Saves the response to a POST as a file of the browser, under the name that the server gives it.
 * @throws ApiError for an error response, or without a response
 */
export async function download(path: string, body: unknown): Promise<void> {
  const ask = (): Promise<Response> => send('POST', path, { body })
  const first = await ask()
  const reason = reasonToSignIn(first)
  const again = reason !== null && signInAgain !== undefined && (await signInAgain(reason))
  const response = again ? await ask() : first
  if (!response.ok) throw toError(response, parse(await response.text()))
  const disposition = response.headers.get('Content-Disposition') ?? ''
  const [, name = 'download'] = /filename="([^"]+)"/.exec(disposition) ?? []
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

function reasonToSignIn({ status, headers }: Response): SignInReason | null {
  if (status === 401) return 'ended'
  const isOld = status === 403 && headers.get('Error-Code') === 'recent_sign_in_required'
  return isOld ? 'old' : null
}

async function send(method: Method, path: string, sent: Sent): Promise<Response> {
  const { signal } = sent
  const query = serializeQuery(sent.query ?? {})
  try {
    return await fetch(query === '' ? path : `${path}?${query}`, {
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

/** The browser sets the content type of a form. */
function payloadOf({
  body,
  ifMatch,
  ifNoneMatch,
  idempotencyKey,
  requestId,
}: Sent): Pick<RequestInit, 'headers' | 'body'> {
  const headers = new Headers({ Accept: 'application/json' })
  if (ifMatch !== undefined) headers.set('If-Match', ifMatch)
  if (ifNoneMatch !== undefined) headers.set('If-None-Match', ifNoneMatch)
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
  if (requestId !== undefined) headers.set('X-Request-Id', requestId)
  if (body === undefined) return { headers }
  if (body instanceof FormData) return { headers, body }
  if (body instanceof Blob) {
    headers.set('Content-Type', 'application/octet-stream')
    return { headers, body }
  }
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
    return {} // an HTML page of a proxy
  }
}

export function unreachable(): ApiError {
  return new ApiError(0, spokenTexts().t('error.network'))
}

export interface SentError {
  readonly message: string
  readonly code?: string
  readonly details?: { readonly errors?: readonly Partial<CodedFault>[] }
}

export function sayError(error: SentError, texts: Texts): string {
  const { message, code = '' } = error
  return sayRefusal({ message, code, faults: codedFaults(error) }, texts)
}

export function toError(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  json: Readonly<Record<string, unknown>>,
): ApiError {
  const error = (json['error'] ?? {}) as Partial<SentError>
  const code = headers.get('Error-Code') ?? ''
  const refusal = { message: error.message ?? `HTTP ${status}`, code, faults: codedFaults(error) }
  return new ApiError(status, sayRefusal(refusal, spokenTexts()), code, faultsOf(error))
}

/** The faults of an error, in the language of the user. */
export function faultsOf(error: Pick<SentError, 'details'>): readonly Fault[] {
  const texts = spokenTexts()
  return codedFaults(error).map((fault) => ({
    path: fault.path.map(String),
    message: sayFault(fault, texts),
    ...englishIn(fault),
  }))
}

/** The sentences about stored types have no codes of their own. */
function englishIn({ code, params }: CodedFault): Pick<Fault, 'english'> {
  const sentence = params?.['name']
  return code === 'declare.stored' && typeof sentence === 'string' ? { english: sentence } : {}
}

function codedFaults({ details }: Pick<SentError, 'details'>): readonly CodedFault[] {
  return (details?.errors ?? []).map((fault) => ({
    ...fault,
    path: fault.path ?? [],
    message: fault.message ?? '',
  }))
}
