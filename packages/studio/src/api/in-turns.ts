export type Turn = <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>

export const atOnce: Turn = async (work) => work()

/**
 * Runs at most `limit` calls at a time, in the order of their arrival. A call that is aborted while
 * it waits never runs.
 */
export function inTurns(limit: number): Turn {
  let running = 0
  const waiting: (() => void)[] = []
  const next = (): void => {
    if (running < limit) waiting.shift()?.()
  }
  return async (work, signal) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      running -= 1
      next()
    }
  }
}
