import { QuireError } from '@quire/client'
import { signInForUpload } from '../request.ts'

export interface WatchedRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Blob | FormData
  readonly signal?: AbortSignal | undefined
  readonly onSent?: (sent: number, total: number) => void
  /** Milliseconds between the last byte of the body and the response. */
  readonly responseMs?: number
}

/** The connection is lost. Extends `TypeError`, like the errors of `fetch` without a network. */
export class LostError extends TypeError {}

/** The connection is open, but carries no bytes. */
export class StalledError extends Error {}

const STALLED_MS = 20_000
const SHOWN_HEADERS = ['Error-Code', 'Retry-After', 'X-Request-Id'] as const

/**
 * Sends a request and returns `data` of its response, or null. A request without a session waits for
 * a sign-in.
 * @throws QuireError for an error response, LostError, StalledError, the reason of the signal
 */
export async function sendWatched(request: WatchedRequest): Promise<unknown> {
  const first = await sendOnce(request)
  const isAgain = first.status === 401 && (await signInForUpload())
  const { status, headers, text } = isAgain ? await sendOnce(request) : first
  const json = parse(text)
  if (status >= 200 && status < 300) return json?.['data'] ?? null
  throw new QuireError(new Response(null, { status, headers }), json)
}

interface PlainAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Uses `XMLHttpRequest`, because `fetch` does not report upload progress. */
function sendOnce(request: WatchedRequest): Promise<PlainAnswer> {
  const { method, path, headers = {}, body = null, signal, onSent, responseMs } = request
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isStalled = false
    const expectWithin = (ms = STALLED_MS): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        isStalled = true
        sent.abort()
      }, ms)
    }
    const abort = (): void => sent.abort()
    const onAbort = (): void =>
      reject(isStalled ? new StalledError('No byte was sent') : toError(signal?.reason))
    sent.open(method, path)
    sent.setRequestHeader('Accept', 'application/json')
    for (const [name, value] of Object.entries(headers)) sent.setRequestHeader(name, value)
    sent.upload.addEventListener('progress', ({ loaded, total }) => {
      expectWithin()
      onSent?.(loaded, total)
    })
    sent.upload.addEventListener('load', () => expectWithin(responseMs))
    sent.addEventListener('load', () => resolve(answerOf(sent)))
    sent.addEventListener('error', () => reject(new LostError('The connection is lost')))
    sent.addEventListener('abort', onAbort)
    sent.addEventListener('loadend', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    })
    if (signal?.aborted === true) return onAbort()
    signal?.addEventListener('abort', abort)
    expectWithin()
    sent.send(body)
  })
}

function answerOf(sent: XMLHttpRequest): PlainAnswer {
  const shown = SHOWN_HEADERS.flatMap((name) => {
    const value = sent.getResponseHeader(name)
    return value === null ? [] : [[name, value] as [string, string]]
  })
  return { status: sent.status, headers: new Headers(shown), text: sent.responseText }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('', 'AbortError')
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return null // an HTML page of a proxy
  }
}
