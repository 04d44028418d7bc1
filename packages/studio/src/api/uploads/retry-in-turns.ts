import type { Turn } from '../in-turns.ts'

export interface Retries<Result> {
  readonly turn: Turn
  readonly signal: AbortSignal
  /** Calls `onProgress` when the work is further than in every earlier attempt. */
  readonly run: (onProgress: () => void) => Promise<Result>
  /** How many failures in a row without progress may be retried. */
  readonly maxRetries: (error: unknown) => number
  /** Resolves when a retry makes sense after the error. `failures` counts from 0. */
  readonly pause: (failures: number, signal: AbortSignal, error: unknown) => Promise<void>
  readonly onInterrupted: (isInterrupted: boolean) => void
}

/**
 * Runs work in its turn. Interrupted work leaves its turn to others, and returns to the end of the
 * line after a pause.
 * @throws the error that is not retried, the reason of the signal
 */
export async function retryInTurns<Result>(retries: Retries<Result>): Promise<Result> {
  const { turn, signal, run, maxRetries, pause, onInterrupted } = retries
  let failures = 0
  const attempt = (): Promise<Result> => {
    onInterrupted(false)
    return run(() => (failures = 0))
  }
  for (;;) {
    try {
      return await turn(attempt, signal)
    } catch (error) {
      if (signal.aborted || failures >= maxRetries(error)) throw error
      onInterrupted(true)
      await pause(failures, signal, error)
      failures += 1
    }
  }
}
