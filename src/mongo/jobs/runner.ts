export interface Lane {
  /** Maximum number of concurrent jobs per process. */
  readonly atOnce: number
  /** Null if there is no work. */
  next(): Promise<(() => Promise<void>) | null>
  /** Milliseconds, or null if unknown. Called when there is no work now. */
  soon?(): Promise<number | null>
}

export interface Runner {
  wake(): void
  close(): Promise<void>
}

export interface RunnerOptions {
  readonly lanes: readonly Lane[]
  readonly onError: (error: unknown) => void
  /** For work that becomes due or is left by other processes. */
  readonly lookMs?: number
}

const LOOK_MS = 1_000

export function openRunner({ lanes, onError, lookMs = LOOK_MS }: RunnerOptions): Runner {
  const drivers = lanes.map((lane) => drive(lane, onError))
  const wake = (): void => {
    for (const driver of drivers) driver.wake()
  }
  const timer = setInterval(wake, lookMs)
  timer.unref()
  return {
    wake,
    close: async () => {
      clearInterval(timer)
      await Promise.all(drivers.map((driver) => driver.stop()))
    },
  }
}

/** Only one lookup runs at a time. */
function drive(lane: Lane, onError: (error: unknown) => void) {
  const working = new Set<Promise<void>>()
  let looking: Promise<void> | null = null
  let isWoken = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const begin = (work: () => Promise<void>): void => {
    const piece = work()
      .catch(onError)
      .then(() => {
        working.delete(piece)
        wake()
      })
    working.add(piece)
  }
  /** Wakes exactly when the next work is due, earlier than the next poll. */
  const wakeSoon = async (): Promise<void> => {
    const ms = (await lane.soon?.()) ?? null
    clearTimeout(timer)
    if (ms !== null) timer = setTimeout(wake, ms).unref()
  }
  const mayBegin = (): boolean => !isStopped && working.size < lane.atOnce
  const look = async (): Promise<void> => {
    while (mayBegin()) {
      isWoken = false
      const work = await lane.next()
      if (work !== null) begin(work)
      else if (!wasWoken()) return wakeSoon()
    }
  }
  /** Reads the flag after the await: new work may have arrived during the lookup. */
  const wasWoken = (): boolean => isWoken
  const wake = (): void => {
    isWoken = true
    if (isStopped || looking !== null) return
    looking = look()
      .catch(onError) // the next look tries again
      .finally(() => {
        looking = null
        if (isWoken && mayBegin()) wake()
      })
  }
  return {
    wake,
    stop: async () => {
      isStopped = true
      await looking
      clearTimeout(timer)
      while (working.size > 0) await Promise.all(working)
    },
  }
}
