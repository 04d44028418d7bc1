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
const DEBOUNCE_MS = 5
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 400
/** Maximum share of time for runs, if no run takes longer than this share of `MAX_PAUSE_MS`. */
const SHARE = 0.05
/** Takes four idle seconds to accumulate. */
const MAX_BUDGET_MS = 200

/** Calculates the pause after a run: none for occasional events, and longer ones under load. */
export function openTimeBudget(now: () => number) {
  let saved = MAX_BUDGET_MS
  let countedAt = now()
  return {
    spend: (ms: number): number => {
      const at = now()
      saved = Math.min(saved + SHARE * (at - countedAt), MAX_BUDGET_MS) - ms
      countedAt = at
      if (saved >= 0) return 0
      const rest = Math.min(Math.max(-saved / SHARE, MIN_PAUSE_MS), MAX_PAUSE_MS)
      saved = Math.max(saved, -SHARE * MAX_PAUSE_MS) // one pause makes up for a slow run
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
  const savings = openTimeBudget(now)

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
      Math.max(DEBOUNCE_MS, restUntil - now()),
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
