import { fork } from 'node:child_process'
import { once } from 'node:events'

export type Method = 'GET' | 'POST' | 'PUT'

/** Stands in a body for what differs from request to request, such as a slug. */
export const UNIQUE = '{{unique}}'

/** What a load generator sends, and for how long. */
export interface Load {
  readonly base: string
  readonly method: Method
  /** In turn. */
  readonly paths: readonly string[]
  /** In turn; none for GET. `fillBody` makes each of them different. */
  readonly bodies: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly durationMs: number
}

export interface LoadResult {
  /** Of each answer, in milliseconds. */
  readonly times: readonly number[]
  /** Of all bodies together. */
  readonly bytes: number
  readonly seconds: number
}

let filled = 0

/** A body as it is sent: no two of them, of whatever process, have the same text in place of `UNIQUE`. */
export function fillBody(body: string | undefined): string | undefined {
  filled += 1
  return body?.replaceAll(UNIQUE, `${process.pid}-${filled}`)
}

export interface LoadGenerator {
  /** @throws Error when a request fails. */
  run(load: Load): Promise<LoadResult>
  stop(): void
}

/** A process that sends requests, so that it shares no event loop with what it measures. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(new URL('./load-generator.js', import.meta.url))
  return {
    run: async (load) => {
      const ended = new AbortController()
      const failed = once(child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error('the load generator ended: a request failed')
      })
      child.send(load)
      try {
        const [result] = (await Promise.race([once(child, 'message'), failed])) as [LoadResult]
        return result
      } finally {
        ended.abort()
        failed.catch(() => undefined)
      }
    },
    stop: () => {
      child.kill()
    },
  }
}
