import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { InnerAddressError, isInnerHost, lookUpOutside } from '../inner-address.ts'
import { parseRetryAfter } from './retries.ts'

/** What became of one attempt. */
export interface Outcome {
  /** Null where there was no answer. */
  readonly status: number | null
  /** Null where it was delivered. */
  readonly error: SendError | null
  readonly retryAfterMs: number | null
  readonly ms: number
}

/** Why an attempt failed; nothing of what was answered is kept. */
export type SendError = 'address_refused' | 'redirect' | 'status' | 'timeout' | 'unreachable'

export interface SendOptions {
  /** Hosts that may have inner addresses, as in `WEBHOOK_ALLOW_HOSTS`. */
  readonly allowHosts: readonly string[]
  /** Of the server, for `User-Agent`. */
  readonly version: string
  readonly timeoutMs?: number
  /** In place of the resolver of the machine; for tests. */
  readonly lookup?: LookupFunction
}

export interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const TIMEOUT_MS = 15_000

/**
 * Sends one message and says what became of it; it never throws. The address is looked at as the connection is made, after
 * its name was resolved, so that no name leads to a machine beside this one, however often it says something else.
 */
export async function sendRequest(message: Message, options: SendOptions): Promise<Outcome> {
  const started = performance.now()
  const rest = await attempt(message, options).catch((error: unknown) => ({
    status: null,
    error: errorOf(error),
    retryAfterMs: null,
  }))
  return { ...rest, ms: Math.round(performance.now() - started) }
}

async function attempt(
  { url, headers, body }: Message,
  { allowHosts, version, timeoutMs = TIMEOUT_MS, lookup }: SendOptions,
): Promise<Omit<Outcome, 'ms'>> {
  const target = new URL(url)
  const isSecure = target.protocol === 'https:'
  const isAllowed = isAllowedHost(target, allowHosts)
  if (!isAllowed && isInnerHost(target)) throw new InnerAddressError(target.hostname)
  const resolver = isAllowed ? lookup : lookUpOutside(lookup)
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? httpsRequest : httpRequest)(target, {
      method: 'POST',
      headers: {
        ...headers,
        'user-agent': `Quire/${version}`,
        'content-length': String(Buffer.byteLength(body)),
      },
      agent: false, // no connection that was made for another look
      signal: AbortSignal.timeout(timeoutMs), // of all of it: who answers byte by byte gets no longer
      ...(resolver !== undefined && { lookup: resolver }),
    })
    sent.on('error', reject)
    sent.on('close', () => {
      reject(new Error('it hung up')) // as a 101 makes Node do, which is no error to it
    })
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], new Date())
      response.on('error', () => undefined)
      response.destroy() // the status says it all
      resolve({ status, error: errorOfStatus(status), retryAfterMs })
    })
    sent.end(body)
  })
}

function errorOfStatus(status: number): SendError | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** Whether a host is named, with or without its port: it may have an inner address. */
export function isAllowedHost({ hostname, host }: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.includes(hostname) || allowHosts.includes(host)
}

function errorOf(error: unknown): SendError {
  if (!(error instanceof Error)) return 'unreachable'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
  return error instanceof InnerAddressError ? 'address_refused' : 'unreachable'
}
