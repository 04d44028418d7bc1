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

/** From what happens to the run, where runs have cost little lately: what happens together is taken together. */
const SOON_MS = 5
const LEAST_REST_MS = 100
const MOST_REST_MS = 400
/** Runs take a twentieth of the time at most, as long as each ends within a twentieth of `MOST_REST_MS`. */
const SHARE = 0.05
/** What a time without runs saves up for those that follow it: four seconds without any. */
const MOST_SAVED_MS = 200

/** How long to rest, by what runs have cost: no time after what happens now and then, ever longer under load. */
export function openSavings(now: () => number) {
  let saved = MOST_SAVED_MS
  let countedAt = now()
  return {
    /** Of a run that has just ended. @returns for how long to rest */
    spend: (ms: number): number => {
      const at = now()
      saved = Math.min(saved + SHARE * (at - countedAt), MOST_SAVED_MS) - ms
      countedAt = at
      if (saved >= 0) return 0
      const rest = Math.min(Math.max(-saved / SHARE, LEAST_REST_MS), MOST_REST_MS)
      saved = Math.max(saved, -SHARE * MOST_REST_MS) // a slow run is made up for by one rest
      return rest
    },
  }
}

/** Runs after each `wake`, with rests between. */
export function openPace({ run, now = () => performance.now() }: PaceOptions): Pace {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isAwake = false
  let isStopped = false
  let restUntil = -Infinity
  const savings = openSavings(now)

  const runOnce = async (): Promise<void> => {
    isAwake = false
    const started = now()
    const more = await run()
    const ended = now()
    restUntil = ended + savings.spend(ended - started)
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
