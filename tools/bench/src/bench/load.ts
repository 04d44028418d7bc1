import { fork } from 'node:child_process'
import { once } from 'node:events'

export type LoadMethod = 'GET' | 'POST' | 'PUT'

/** Placeholder in bodies for a value that differs per request, such as a slug. */
export const UNIQUE = '{{unique}}'

export interface Load {
  readonly base: string
  readonly method: LoadMethod
  /** Used in turn. */
  readonly paths: readonly string[]
  /** Used in turn. Empty for GET. `fillBody` makes each of them unique. */
  readonly bodies: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly durationMs: number
}

export interface LoadResult {
  /** Milliseconds per response. */
  readonly times: readonly number[]
  readonly bytes: number
  readonly seconds: number
}

let filled = 0

/** Replaces `UNIQUE` by a value that is unique across processes. */
export function fillBody(body: string | undefined): string | undefined {
  filled += 1
  return body?.replaceAll(UNIQUE, `${process.pid}-${filled}`)
}

export interface LoadGenerator {
  /** @throws Error if a request fails */
  run(load: Load): Promise<LoadResult>
  stop(): void
}

/** Starts a process that sends requests, so that it does not share the event loop of the caller. */
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
