/**
 * Runs `work`, or returns the result of another caller's run of the same key that starts after this
 * call.
 */
export type ShareRuns<T> = (key: string, work: () => Promise<T>) => Promise<T>

interface Runs<T> {
  readonly current: Promise<T>
  /** The run that starts after the current one. */
  next: Promise<T> | null
}

/** If a run takes longer, the next one starts in parallel. */
const LONGEST_WAIT_MS = 100

/**
 * Serializes work that many callers need at once. All calls during a run share the next run, so a
 * result is never older than its call.
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

/** Resolves when the run settles or after `lateMs`. */
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
