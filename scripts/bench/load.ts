import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What a load generator sends, and for how long. */
export interface Load {
  readonly base: string
  readonly method: 'GET' | 'POST'
  /** In turn. */
  readonly paths: readonly string[]
  /** In turn; none for GET. */
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
