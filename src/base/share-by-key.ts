/** Runs `work`, or returns the result of a run that another caller started with the same key. */
export type ShareByKey<K, T> = (key: K, work: () => Promise<T>) => Promise<T>

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

/** Calls during a run share the next run, so no result predates its call. `maxWaitMs` bounds their wait for it. */
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

const turns = new WeakMap<object, Map<string, Promise<unknown>>>()

/** Runs calls with the same owner and name in sequence. Other processes are not synchronized. */
export async function takeTurn<T>(owner: object, name: string, work: () => Promise<T>): Promise<T> {
  const last = turns.get(owner) ?? new Map<string, Promise<unknown>>()
  turns.set(owner, last)
  const own = (last.get(name) ?? Promise.resolve()).then(work)
  const settled = own.catch(() => null)
  last.set(name, settled)
  try {
    return await own
  } finally {
    if (last.get(name) === settled) last.delete(name)
  }
}
