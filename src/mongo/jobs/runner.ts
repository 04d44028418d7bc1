export interface Lane {
  /** Maximum number of concurrent jobs per process. */
  readonly atOnce: number
  /** Null if there is no work. */
  next(): Promise<(() => Promise<void>) | null>
}

export interface Runner {
  wake(): void
  close(): Promise<void>
}

export interface RunnerOptions {
  readonly lanes: readonly Lane[]
  /**
   * Milliseconds until the next work of any lane after at least `leastMs`, 0 if work is due, null if none is due before
   * the next poll. A poll then costs one read instead of one per lane. Without it, every poll looks for work.
   */
  readonly soon?: (leastMs: number) => Promise<number | null>
  readonly onError: (error: unknown) => void
  /** For work that becomes due or is left by other processes. */
  readonly lookMs?: number
}

const LOOK_MS = 1_000

export function openRunner({ lanes, soon, onError, lookMs = LOOK_MS }: RunnerOptions): Runner {
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | null = null
  const wake = (): void => {
    for (const driver of drivers) driver.wake()
  }
  /** Wakes exactly when the next work is due, earlier than the next poll. */
  const wakeSoon = async (leastMs: number): Promise<void> => {
    const ms = (await soon?.(leastMs)) ?? null
    clearTimeout(timer)
    if (ms === 0) wake()
    else if (ms !== null) timer = setTimeout(wake, ms).unref()
  }
  // Work that a lookup has just refused is left to the next poll.
  const drivers = lanes.map((lane) => drive(lane, onError, () => wakeSoon(1)))
  const poll = (): void => {
    polling ??= wakeSoon(0)
      .catch(onError) // the next poll tries again
      .finally(() => (polling = null))
  }
  const polls = setInterval(soon === undefined ? wake : poll, lookMs)
  polls.unref()
  return {
    wake,
    close: async () => {
      clearInterval(polls)
      await Promise.all([polling, ...drivers.map((driver) => driver.stop())])
      clearTimeout(timer)
    },
  }
}

/** Only one lookup runs at a time. */
function drive(lane: Lane, onError: (error: unknown) => void, onIdle: () => Promise<void>) {
  const working = new Set<Promise<void>>()
  let looking: Promise<void> | null = null
  let isWoken = false
  let isStopped = false

  const begin = (work: () => Promise<void>): void => {
    const piece = work()
      .catch(onError)
      .then(() => {
        working.delete(piece)
        wake()
      })
    working.add(piece)
  }
  const mayBegin = (): boolean => !isStopped && working.size < lane.atOnce
  const look = async (): Promise<void> => {
    while (mayBegin()) {
      isWoken = false
      const work = await lane.next()
      if (work !== null) begin(work)
      else if (!wasWoken()) return onIdle()
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
      while (working.size > 0) await Promise.all(working)
    },
  }
}
