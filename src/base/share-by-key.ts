/** Runs `work`, or returns the result of a run that another caller started with the same key. */
export type ShareByKey<K, T> = (key: K, work: () => Promise<T>) => Promise<T>

/** Calls during a run share its result or its error. */
export function shareByKey<K, T>(): ShareByKey<K, T> {
  const running = new Map<K, Promise<T>>()
  return (key, work) => {
    const other = running.get(key)
    if (other !== undefined) return other
    const run = work().finally(() => running.delete(key))
    running.set(key, run)
    return run
  }
}

interface Runs<T> {
  readonly current: Promise<T>
  next: Promise<T> | null
}

/**
 * Serializes runs with the same key. All calls during a run share the next run, so a result is never older than its
 * call. If a run takes longer than `maxWaitMs`, the next one starts in parallel.
 */
export function shareNextByKey<K, T>(maxWaitMs = Infinity): ShareByKey<K, T> {
  const byKey = new Map<K, Runs<T>>()
  const start = (key: K, work: () => Promise<T>): Promise<T> => {
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
    runs.next ??= endedOrLate(runs.current, maxWaitMs).then(() => start(key, work))
    return runs.next
  }
}

/** Resolves when the run settles or after `lateMs`. */
export function endedOrLate(run: Promise<unknown>, lateMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = lateMs === Infinity ? undefined : setTimeout(resolve, lateMs)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    run.then(end, end)
  })
}
