/** One kind of work. */
export interface Lane {
  /** How much of it one process does at a time. */
  readonly atOnce: number
  /** Begins the next piece of work; null where nothing is to be done. */
  next(): Promise<(() => Promise<void>) | null>
  /** In how many milliseconds there is something to do, where that is known; asked when nothing is now. */
  soon?(): Promise<number | null>
}

/** Does the background work of one process, for as long as there is some, and looks for more. */
export interface Runner {
  /** There may be something to do. */
  wake(): void
  /** Nothing more is begun; what was begun has ended. */
  close(): Promise<void>
}

export interface RunnerOptions {
  readonly lanes: readonly Lane[]
  readonly onError: (error: unknown) => void
  /** How often it looks by itself: for what has become due, and what others have left. */
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

/** Keeps up to so many pieces of one kind going; one look at a time, so that none is missed and few are idle. */
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
  /** At the moment when something is due, and not at the look after it. */
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
  /** Meanwhile: what was looked for may have come after the look. */
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
