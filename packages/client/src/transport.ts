import { openAttempt } from './attempt.ts'
import type { Call, Reply } from './call.ts'
import { QuireError, readBody } from './quire-error.ts'
import { sleep, computeRetryDelay } from './retries.ts'
import { withTimeout } from './with-timeout.ts'
import { memorySessionStorage, openRefresh, type Session, type SessionStorage } from './session.ts'

export interface ClientOptions {
  /** The server, such as `https://cms.example.org`. */
  readonly url: string
  /** An API token. A signed-in user's session takes precedence. */
  readonly token?: string
  /** Stores the session of the signed-in user. @default memory */
  readonly storage?: SessionStorage
  readonly onSignedOut?: () => void
  readonly fetch?: typeof fetch
  /** The number of retries of a request that may succeed later. @default 2 */
  readonly retries?: number
  /** Milliseconds for one request with its response. Uploads have no limit. @default 20000 */
  readonly timeoutMs?: number
  /** The number of responses cached for revalidation by their ETag. @default 100 */
  readonly cached?: number
  /** Reads see all earlier writes of this client, also if the token reads from secondaries. @default false */
  readonly causal?: boolean
}

export interface Transport {
  send(call: Call): Promise<Reply>
  readonly storage: SessionStorage
  readonly url: string
  /** The `Authorization` header. Null without credentials. */
  authorization(): Promise<string | null>
}

const TIMEOUT_MS = 20_000

const RETRY_STATUSES: ReadonlySet<number> = new Set([429, 503, 504])

/** Authorizes requests, refreshes sessions and retries temporary failures. */
export function openTransport(options: ClientOptions): Transport {
  const {
    token,
    retries = 2,
    cached = 100,
    timeoutMs = TIMEOUT_MS,
    storage = memorySessionStorage(),
    causal,
  } = options
  const url = options.url.replace(/\/+$/, '')
  const fetching = options.fetch ?? fetch.bind(globalThis)
  const attempt = openAttempt({ url, cached, causal, fetch: fetching })
  const refresh = openRefresh(
    storage,
    refreshing(url, limited(fetching, timeoutMs), options.onSignedOut),
  )
  const bearer = (session: Session | null): string | null => {
    const key = session?.jwt ?? token
    return key === undefined ? null : `Bearer ${key}`
  }
  const signed = async (call: Call): Promise<Response | Reply> => {
    const session = call.asUser === false ? null : await storage.get()
    const answer = await attempt(call, bearer(session))
    if (isReply(answer) || answer.status !== 401 || session === null) return answer
    const renewed = await refresh(session)
    return renewed === null ? answer : attempt(call, bearer(renewed))
  }
  const once = (call: Call): Promise<Response | Reply> =>
    withTimeout(timeoutOf(call, timeoutMs), call.signal, (signal) =>
      signed(signal === undefined ? call : { ...call, signal }),
    )
  return {
    url,
    storage,
    authorization: async () => bearer(await storage.get()),
    send: async (call) => {
      for (let left = isRepeatable(call) ? retries : 0; ; left -= 1) {
        const answer = await tryOnce(() => once(call), left > 0)
        if (answer !== null && isReply(answer)) return answer
        if (answer !== null && (left === 0 || !RETRY_STATUSES.has(answer.status))) {
          throw new QuireError(answer, await readBody(answer))
        }
        await sleep(computeRetryDelay(answer, retries - left), call.signal)
      }
    },
  }
}

/** Uploads have no time limit. A long poll extends the limit by its wait. */
function timeoutOf({ body, waitMs = 0 }: Call, timeoutMs: number): number | null {
  const isUpload = typeof FormData !== 'undefined' && body instanceof FormData
  return isUpload ? null : timeoutMs + waitMs
}

function limited(send: typeof fetch, timeoutMs: number): typeof fetch {
  return (input, init) =>
    withTimeout(timeoutMs, undefined, (signal) =>
      send(input, signal === undefined ? init : { ...init, signal }),
    )
}

/** A repeated `If-Match` would meet the ETag of the first execution. */
function isRepeatable({ method, repeatable = false, headers = {} }: Call): boolean {
  return method === 'POST' || method === 'PATCH' ? repeatable : !('If-Match' in headers)
}

function refreshing(
  url: string,
  send: typeof fetch,
  onSignedOut: (() => void) | undefined,
): (refreshToken: string) => Promise<Session | null> {
  return async (refreshToken) => {
    const answer = await send(`${url}/api/auth/refresh`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ refreshToken }),
    })
    if (answer.ok) return (await answer.json()) as Session
    if (answer.status === 429 || answer.status >= 500) {
      throw new QuireError(answer, await readBody(answer)) // the session may still be valid
    }
    onSignedOut?.()
    return null
  }
}

/** Returns null if the network failed and a retry remains. */
async function tryOnce<T>(work: () => Promise<T>, isTriedAgain: boolean): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    const isLost = error instanceof TypeError // the error of fetch without a network
    if (isLost && isTriedAgain) return null
    throw error
  }
}

function isReply(answer: Response | Reply): answer is Reply {
  return 'etag' in answer
}
