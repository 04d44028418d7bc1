import type { HeldCopy } from './held-copy.ts'
import { whileLeading } from './leader.ts'
import { pullPage, type SyncSource } from './pull.ts'

export interface StoreStatus {
  /** `syncing`: loading pages. `current`: up to date. `offline`, `failed`: retrying. */
  readonly phase: 'idle' | 'syncing' | 'current' | 'offline' | 'failed'
  /** True if the copy was complete once. Otherwise queries return partial content. */
  readonly isComplete: boolean
  /** The reason of a failed request or write, such as a `QuotaExceededError`. */
  readonly error: Error | null
}

export interface Following {
  readonly status: () => StoreStatus
  readonly failed: (error: unknown) => void
  readonly sync: (signal?: AbortSignal) => Promise<void>
  /** Runs until the signal aborts, in one tab at a time. */
  readonly follow: (signal: AbortSignal) => Promise<void>
}

/** May wait this many seconds for a change. Returns false if there was none. */
type Pull = (seconds: number, signal: AbortSignal) => Promise<boolean>

const LONG_POLL_SECONDS = 25
const MAX_PAUSE_MS = 60_000
/** A faster empty response means that the server refuses long polls. */
const MIN_LONG_POLL_MS = 5_000

export function openFollowing(
  source: SyncSource,
  copy: HeldCopy,
  { name, pauseMs }: { readonly name: string | null; readonly pauseMs: number },
): Following {
  let said: Omit<StoreStatus, 'isComplete'> = { phase: 'idle', error: null }
  const report = (phase: StoreStatus['phase'], error: Error | null = null): void => {
    if (said.phase === phase && said.error === error) return
    said = { phase, error }
    copy.tell()
  }
  const failed = (error: unknown): void => {
    report(isOffline(error) ? 'offline' : 'failed', error as Error)
  }
  const pull: Pull = async (seconds, signal) => {
    let isNews = false
    let beganAgain = false
    for (let wait = seconds; ; wait = 0) {
      if (wait === 0) report('syncing')
      const page = await pullPage(source, copy, { wait, signal })
      // Second restart: a cache still serves the old first page. Try again after a pause.
      if (page.lost !== null && beganAgain) throw page.lost
      beganAgain ||= page.lost !== null
      isNews ||= page.isNews
      if (page.more) continue
      report('current')
      return isNews
    }
  }
  return {
    status: () => ({ ...said, isComplete: copy.mark().isComplete }),
    failed,
    sync: async (signal = new AbortController().signal) => {
      try {
        await pull(0, signal)
      } catch (error) {
        if (!signal.aborted) failed(error)
        throw error
      }
    },
    follow: (signal) =>
      whileLeading(name, signal, async () => {
        // The previous leader may have committed before this tab listened.
        await copy.reload().catch(failed)
        await pullAgain(pull, signal, { pauseMs, failed })
      }),
  }
}

/** Repeats until the signal aborts, with pauses after failures. */
async function pullAgain(
  pull: Pull,
  signal: AbortSignal,
  { pauseMs, failed }: { readonly pauseMs: number; readonly failed: (error: unknown) => void },
): Promise<void> {
  const isOver = (): boolean => signal.aborted
  let pause = pauseMs
  for (let seconds = 0; !isOver();) {
    try {
      const since = Date.now()
      const isNews = await pull(seconds, signal)
      const isTurnedAway = seconds > 0 && !isNews && Date.now() - since < MIN_LONG_POLL_MS
      pause = pauseMs
      seconds = LONG_POLL_SECONDS
      if (isTurnedAway) await rest(MIN_LONG_POLL_MS, signal)
    } catch (error) {
      if (isOver()) return
      failed(error)
      seconds = 0
      await rest(pause * (0.5 + Math.random()), signal)
      pause = Math.min(2 * pause, MAX_PAUSE_MS)
    }
  }
}

/** The error of fetch without a network. */
function isOffline(error: unknown): boolean {
  return error instanceof TypeError
}

/** Waits, or returns early when the network is back. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      removeEventListener?.('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    addEventListener?.('online', end)
  })
}
