import type { ChildServer } from './child-server.ts'

export interface FullCache {
  readonly residentBytes: number
  /** Bytes of cached responses, as reported by the server. */
  readonly cachedBytes: number
  readonly entries: number
}

const MAX_REQUESTS = 5_000
const CONCURRENCY = 10
const MAX_PAGE_SIZE = 100
/** Responses are compressed on their second request. */
const REQUESTS_PER_PATH = 2

/**
 * Requests different lists of posts, each twice, until the cache evicts responses. Returns null if
 * that does not happen.
 */
export async function fillCache(
  { base, usage }: Pick<ChildServer, 'base' | 'usage'>,
  posts: number,
): Promise<FullCache | null> {
  const paths = otherLists(posts)
  for (let sent = 0; sent < MAX_REQUESTS; sent += CONCURRENCY) {
    const some = Array.from({ length: CONCURRENCY }, () => paths.next().value)
    for (let time = 0; time < REQUESTS_PER_PATH; time += 1)
      await Promise.all(some.map((path) => readAll(base + path)))
    const count = await countsOf(base)
    if (count('evictions_total') === 0) continue
    const { residentBytes } = await usage()
    return { residentBytes, cachedBytes: count('bytes'), entries: count('entries') }
  }
  return null
}

function* otherLists(posts: number): Generator<string, string> {
  for (let size = MAX_PAGE_SIZE; size > 0; size -= 1) {
    for (let page = 1; page <= Math.ceil(posts / size); page += 1) {
      yield `/api/posts?pagination[pageSize]=${size}&pagination[page]=${page}&pagination[withCount]=false`
    }
  }
  return '/api/posts'
}

async function readAll(url: string): Promise<void> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'br' } })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
}

async function countsOf(base: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${base}/metrics`)).text()
  return (name) =>
    Number(new RegExp(`^quire_answer_cache_${name} (\\S+)`, 'm').exec(text)?.[1] ?? NaN)
}
