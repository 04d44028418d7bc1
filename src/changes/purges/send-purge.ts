export type PurgeKind = 'fastly' | 'cloudflare' | 'varnish' | 'url'

export interface PurgeTarget {
  readonly kind: PurgeKind
  readonly urls: readonly string[]
  readonly token: string | null
}

export class PurgeFailed extends Error {
  constructor(url: string, what: string, options?: ErrorOptions) {
    super(`${new URL(url).host} did not purge: ${what}`, options)
    this.name = 'PurgeFailed'
  }
}

const TIMEOUT_MS = 10_000

const MAX_TAGS: Readonly<Record<PurgeKind, number>> = {
  // https://www.fastly.com/documentation/reference/api/purging/: 256 keys
  fastly: 256,
  // https://developers.cloudflare.com/cache/how-to/purge-cache/purge-by-tags/: 30 on every plan
  cloudflare: 30,
  varnish: 50, // limited by the header size
  url: 1_000,
}

export async function sendPurge(target: PurgeTarget, tags: readonly string[]): Promise<void> {
  const size = MAX_TAGS[target.kind]
  for (let start = 0; start < tags.length; start += size) {
    const some = tags.slice(start, start + size)
    for (const url of target.urls) await send(target, url, some)
  }
}

async function send(target: PurgeTarget, url: string, tags: readonly string[]): Promise<void> {
  let status: number
  try {
    const response = await fetch(url, {
      ...requestOf(target, tags),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.arrayBuffer() // consumed, so that the connection can be reused
    status = response.status
  } catch (error) {
    throw new PurgeFailed(url, 'no answer', { cause: error })
  }
  if (status < 200 || status > 299) throw new PurgeFailed(url, `status ${status}`)
}

function requestOf({ kind, token }: PurgeTarget, tags: readonly string[]): RequestInit {
  const bearer: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  switch (kind) {
    case 'fastly':
      return postOf({ surrogate_keys: tags }, token === null ? {} : { 'fastly-key': token })
    case 'cloudflare':
      return postOf({ tags }, bearer)
    case 'varnish':
      return { method: 'PURGE', headers: { ...bearer, 'xkey-purge': tags.join(' ') } }
    case 'url':
      return postOf({ tags }, bearer)
  }
}

function postOf(body: object, headers: Readonly<Record<string, string>>): RequestInit {
  return {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  }
}
