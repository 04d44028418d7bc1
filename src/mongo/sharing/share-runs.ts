/** Runs `work`, or answers with a run of the same key by someone else that began after this was called. */
export type ShareRuns<T> = (key: string, work: () => Promise<T>) => Promise<T>

interface Runs<T> {
  readonly current: Promise<T>
  /** The run that begins when the current one has ended. */
  next: Promise<T> | null
}

/** A run that takes longer keeps nobody waiting: the next begins beside it. */
const LONGEST_WAIT_MS = 100

/**
 * One run at a time of work that many callers need at once. All calls during a run share the next one: a result
 * is never older than its call.
 */
export function createSharedRuns<T>(): ShareRuns<T> {
  const byKey = new Map<string, Runs<T>>()
  const start = (key: string, work: () => Promise<T>): Promise<T> => {
    const runs: Runs<T> = { current: work(), next: null }
    byKey.set(key, runs)
    const end = (): void => {
      if (byKey.get(key) === runs && runs.next === null) byKey.delete(key)
    }
    runs.current.then(end, end)
    return runs.current
  }
  return (key, work) => {
    const runs = byKey.get(key)
    if (runs === undefined) return start(key, work)
    runs.next ??= endedOrLate(runs.current, LONGEST_WAIT_MS).then(() => start(key, work))
    return runs.next
  }
}

/** Resolves when a run has ended, however, or has taken too long. */
export function endedOrLate(run: Promise<unknown>, lateMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lateMs)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    run.then(end, end)
  })
}
