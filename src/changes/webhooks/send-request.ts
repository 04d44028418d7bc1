import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { InnerAddressError, isInnerHost, lookUpOutside } from '../../base/inner-address.ts'
import { parseRetryAfter } from './retries.ts'

export interface DeliveryOutcome {
  readonly status: number | null
  readonly error: SendError | null
  readonly retryAfterMs: number | null
  readonly ms: number
}

export type SendError = 'address_refused' | 'redirect' | 'status' | 'timeout' | 'unreachable'

export interface RequestOptions {
  readonly allowHosts: readonly string[]
  readonly version: string
  readonly timeoutMs?: number
  readonly lookup?: LookupFunction
}

export interface WebhookMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const TIMEOUT_MS = 15_000

/** Never rejects. The address is checked when the connection is made, against DNS rebinding. */
export async function sendRequest(
  message: WebhookMessage,
  options: RequestOptions,
): Promise<DeliveryOutcome> {
  const started = performance.now()
  const rest = await attempt(message, options).catch((error: unknown) => ({
    status: null,
    error: errorOf(error),
    retryAfterMs: null,
  }))
  return { ...rest, ms: Math.round(performance.now() - started) }
}

async function attempt(
  { url, headers, body }: WebhookMessage,
  { allowHosts, version, timeoutMs = TIMEOUT_MS, lookup }: RequestOptions,
): Promise<Omit<DeliveryOutcome, 'ms'>> {
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
      agent: false, // a pooled connection would bypass the address check
      signal: AbortSignal.timeout(timeoutMs), // limits the whole request, including a slow response
      ...(resolver !== undefined && { lookup: resolver }),
    })
    sent.on('error', reject)
    sent.on('close', () => {
      reject(new Error('it hung up')) // Node closes the socket after a 101 without an error
    })
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], new Date())
      response.on('error', () => undefined)
      response.destroy() // only the status is used
      resolve({ status, error: errorOfStatus(status), retryAfterMs })
    })
    sent.end(body)
  })
}

function errorOfStatus(status: number): SendError | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

export function isAllowedHost({ hostname, host }: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.includes(hostname) || allowHosts.includes(host)
}

function errorOf(error: unknown): SendError {
  if (!(error instanceof Error)) return 'unreachable'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
  return error instanceof InnerAddressError ? 'address_refused' : 'unreachable'
}
