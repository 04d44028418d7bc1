import { readBody } from './quire-error.ts'
import { serializeQuery } from './serialize-query.ts'
import type { Call, Reply } from './call.ts'

interface Wire {
  readonly url: string
  readonly cached: number
  readonly causal: boolean | undefined
  readonly fetch: typeof fetch
}

interface Sending {
  readonly authorization: string | null
  readonly known: Kept | undefined
  /** The time of the newest write. Empty after a refusal, because a restored database may be behind. */
  readonly after: string
}

interface Kept extends Reply {
  readonly etag: string
}

/** Revalidates a cached response by its ETag. A failed request returns its response. */
export function openAttempt(wire: Wire) {
  const kept = new Map<string, Kept>()
  let after = ''
  const later = wire.causal === true ? noteAfter : () => ''
  return async (call: Call, authorization: string | null): Promise<Response | Reply> => {
    const query = serializeQuery(call.query ?? {})
    const address = `${wire.url}/api/${call.path}${query === '' ? '' : `?${query}`}`
    const place = `${authorization} ${address}`
    const known = call.method === 'GET' ? kept.get(place) : undefined
    const response = await wire.fetch(address, {
      method: call.method,
      headers: headersOf(call, { authorization, known, after }),
      ...bodyOf(call),
      ...(call.signal !== undefined && { signal: call.signal }),
    })
    after = later(after, response)
    if (response.status === 304 && known !== undefined) return copied(known)
    if (!response.ok) return response
    const reply = { body: await readBody(response), etag: response.headers.get('ETag') }
    if (isKept(call) && reply.etag !== null) {
      keep(kept, place, { ...reply, etag: reply.etag }, wire.cached)
    }
    return copied(reply)
  }
}

function isKept({ method, isKept = true }: Call): boolean {
  return method === 'GET' && isKept
}

function noteAfter(after: string, { headers }: Response): string {
  const time = headers.get('Quire-After')
  if (time !== null && time > after) return time
  return headers.get('Error-Code') === 'invalid_header' ? '' : after
}

function headersOf(call: Call, { authorization, known, after }: Sending): Record<string, string> {
  return {
    ...(authorization !== null && { Authorization: authorization }),
    ...(call.body !== undefined && !isRaw(call.body) && { 'Content-Type': 'application/json' }),
    ...(call.lines !== undefined && { 'Content-Type': 'application/x-ndjson' }),
    ...(known !== undefined && { 'If-None-Match': known.etag }),
    ...(call.method === 'GET' && after !== '' && { 'Quire-After': after }),
    ...call.headers,
  }
}

function bodyOf({ body, lines }: Call): { body?: FormData | Blob | string } {
  if (lines !== undefined) return { body: lines.map((line) => JSON.stringify(line)).join('\n') }
  if (body === undefined) return {}
  return { body: isRaw(body) ? body : JSON.stringify(body) }
}

function isRaw(body: unknown): body is FormData | Blob {
  if (typeof FormData !== 'undefined' && body instanceof FormData) return true
  return typeof Blob !== 'undefined' && body instanceof Blob
}

/** A copy, so that callers cannot change the cached response. */
function copied({ body, etag }: Reply): Reply {
  return { body: JSON.parse(JSON.stringify(body)) as unknown, etag }
}

function keep(kept: Map<string, Kept>, place: string, reply: Kept, most: number): void {
  kept.delete(place)
  kept.set(place, reply)
  const [oldest] = kept.keys()
  if (kept.size > most && oldest !== undefined) kept.delete(oldest)
}
