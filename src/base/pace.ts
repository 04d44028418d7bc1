/** Schedules runs soon after events, with a bounded share of time under load. */
export interface Pace {
  wake(): void
  stop(): Promise<void>
}

export interface PaceOptions {
  /** Returns whether more work is left. It must report its own errors. */
  readonly run: () => Promise<boolean>
  readonly now?: () => number
}

/** Delay between an event and its run, if recent runs were short. Events within it share a run. */
const SOON_MS = 5
const LEAST_REST_MS = 100
const MOST_REST_MS = 400
/** Maximum share of time for runs, if no run takes longer than this share of `MOST_REST_MS`. */
const SHARE = 0.05
/** Maximum saved budget for later runs. It takes four idle seconds to accumulate. */
const MOST_SAVED_MS = 200

/** Calculates pauses from the cost of runs: none for occasional events, and longer ones under load. */
export function openSavings(now: () => number) {
  let saved = MOST_SAVED_MS
  let countedAt = now()
  return {
    /** @returns the pause in milliseconds */
    spend: (ms: number): number => {
      const at = now()
      saved = Math.min(saved + SHARE * (at - countedAt), MOST_SAVED_MS) - ms
      countedAt = at
      if (saved >= 0) return 0
      const rest = Math.min(Math.max(-saved / SHARE, LEAST_REST_MS), MOST_REST_MS)
      saved = Math.max(saved, -SHARE * MOST_REST_MS) // one pause makes up for a slow run
      return rest
    },
  }
}

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
