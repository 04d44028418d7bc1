/** When something is run that should follow what happens soon, and cost little where much happens. */
export interface Pace {
  /** Something has happened: a run begins soon. */
  wake(): void
  /** No run begins any more; what is under way has ended. */
  stop(): Promise<void>
}

export interface PaceOptions {
  /** Says whether there is more to do. It reports its failures itself. */
  readonly run: () => Promise<boolean>
  readonly now?: () => number
}

/** From what happens to the run, where none was just now: what happens together is taken together. */
const SOON_MS = 5
const LEAST_REST_MS = 100
const MOST_REST_MS = 400
/** A run is followed by a rest so many times as long: it takes a tenth of the time at most. */
const REST = 9

/** Runs after each `wake`, with rests between. */
export function openPace({ run, now = () => performance.now() }: PaceOptions): Pace {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isAwake = false
  let isStopped = false
  let restUntil = -Infinity

  const runOnce = async (): Promise<void> => {
    isAwake = false
    const started = now()
    const more = await run()
    const ended = now()
    restUntil = ended + Math.min(Math.max(REST * (ended - started), LEAST_REST_MS), MOST_REST_MS)
    isAwake ||= more
  }
  const plan = (): void => {
    if (isStopped || running !== null || timer !== undefined) return
    timer = setTimeout(
      () => {
        timer = undefined
        running = runOnce().finally(() => {
          running = null
          if (isAwake) plan()
        })
      },
      Math.max(SOON_MS, restUntil - now()),
    )
    timer.unref()
  }
  return {
    wake: () => {
      isAwake = true
      plan()
    },
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
