import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { ApplicationError } from '../../base/errors.ts'
import { InnerAddressError, isInnerHost, lookUpOutside } from '../../base/inner-address.ts'

/** Timeout without a received byte, and total timeout. */
const SILENCE_MS = 30_000
const TOTAL_MS = 600_000
const MAX_REDIRECTS = 3

export interface BoundedFetch {
  readonly credentials: Readonly<Record<string, string>>
  readonly credentialsOrigin: string
  /** Origins named by the operator; they may be in the private network. */
  readonly trustedOrigins: ReadonlySet<string>
  readonly maxBytes: number
  readonly lookup?: LookupFunction | undefined
}

export interface FetchedBytes {
  readonly status: number
  readonly bytes: Buffer
}

/** URLs from the source are untrusted, so all but the trusted origins must be public. @throws ApplicationError */
export async function fetchBounded(target: URL, options: BoundedFetch): Promise<FetchedBytes> {
  const signal = AbortSignal.timeout(TOTAL_MS)
  let url = target
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    try {
      const response = await send(url, options, signal)
      const next = locationOf(response, url)
      if (next === null) return await readBytes(response, options.maxBytes)
      response.destroy()
      url = next
    } catch (error) {
      if (error instanceof ApplicationError) throw error
      if (error instanceof InnerAddressError) throw refusal(url)
      throw new ApplicationError(
        `${url.origin} does not answer: ${reasonOf(error)}`,
        {},
        { cause: error },
      )
    }
  }
  throw new ApplicationError(`${target.origin} redirects more than ${MAX_REDIRECTS} times`)
}

/** Node reports an AggregateError without a message if a host with several addresses is unreachable. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `it took more than ${TOTAL_MS / 1000} seconds`
  }
  return error instanceof Error ? error.message : String(error)
}

function send(
  url: URL,
  { credentials, credentialsOrigin, trustedOrigins, lookup }: BoundedFetch,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refusal(url)
  const isTrusted = trustedOrigins.has(url.origin)
  if (!isTrusted && isInnerHost(url)) throw refusal(url)
  const options: RequestOptions = {
    headers: url.origin === credentialsOrigin ? credentials : {},
    signal,
    ...(isTrusted ? lookup && { lookup } : { lookup: lookUpOutside(lookup), agent: false }),
  }
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const asked = request(url, options, resolve)
    asked.setTimeout(SILENCE_MS, () => asked.destroy(new Error('it is silent')))
    asked.on('error', reject)
    asked.on('close', () => {
      reject(new Error('it hung up')) // Node closes the request without an error after a 101 response.
    })
    asked.end()
  })
}

function refusal({ origin }: URL): ApplicationError {
  return new ApplicationError(
    `${origin} is no public address: name it with --files-from if files are to be fetched there`,
  )
}

function locationOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | null {
  if (statusCode < 300 || statusCode > 399 || headers.location === undefined) return null
  if (URL.canParse(headers.location, from.href)) return new URL(headers.location, from)
  throw new ApplicationError(`${from.origin} redirects to what is no address`)
}

async function readBytes(response: IncomingMessage, maxBytes: number): Promise<FetchedBytes> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      response.destroy()
      throw new ApplicationError(`the source answers more than ${maxBytes} bytes at once`)
    }
    chunks.push(chunk)
  }
  return { status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }
}
