import type { HeldCopy } from './held-copy.ts'
import { whileLeading } from './leader.ts'
import { QuireError } from '../quire-error.ts'
import { pullPage, type SyncSource } from './pull.ts'
import { PushDelayed, type Pusher } from './push-changes.ts'

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
  pusher: Pusher,
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
  const following = { pull, pusher, copy, pauseMs, failed }
  return {
    status: () => ({ ...said, isComplete: copy.mark().isComplete }),
    failed,
    sync: async (signal = new AbortController().signal) => {
      pusher.resume()
      await syncOnce(following, signal).catch((error: unknown) => {
        if (!signal.aborted) failed(error)
        throw error
      })
    },
    follow: (signal) =>
      whileLeading(name, signal, async () => {
        pusher.resume()
        // The previous leader may have committed before this tab listened.
        await copy.reload().catch(failed)
        await followAgain(following, signal)
      }),
  }
}

interface Turn {
  readonly pull: Pull
  readonly pusher: Pusher
  readonly copy: HeldCopy
  readonly pauseMs: number
  readonly failed: (error: unknown) => void
}

/** Loads changes even if the server refuses the changes of the user. */
async function syncOnce({ pull, pusher }: Turn, signal: AbortSignal): Promise<void> {
  const refused = await pushAll(pusher, signal)
  await pull(0, signal)
  if (refused !== null) throw refused
}

/** Waits for changes on both sides. Returns true if the server refuses to wait. */
async function waitOnce(
  { pull, pusher }: Turn,
  signal: AbortSignal,
  waiting: AbortSignal,
): Promise<boolean> {
  const refused = await pushAll(pusher, signal)
  const since = Date.now()
  const isNews = await (refused === null ? pull(LONG_POLL_SECONDS, waiting) : pull(0, signal))
  if (refused !== null) throw refused
  return !isNews && Date.now() - since < MIN_LONG_POLL_MS
}

/** Repeats until the signal aborts, with pauses after failures. */
async function followAgain(turn: Turn, signal: AbortSignal): Promise<void> {
  const { pauseMs, failed } = turn
  const isOver = (): boolean => signal.aborted
  let pause = pauseMs
  for (let isFirst = true; !isOver();) {
    const waiting = wakeUp(turn, signal)
    try {
      if (isFirst) await syncOnce(turn, signal)
      else if (await waitOnce(turn, signal, waiting.signal)) {
        await rest(MIN_LONG_POLL_MS, waiting.signal)
      }
      pause = pauseMs
      isFirst = false
    } catch (error) {
      if (isOver()) return
      if (isWoken(waiting.signal, error)) continue
      failed(error)
      isFirst = true
      await rest(Math.max(pause * (0.5 + Math.random()), retryAfterOf(error)), signal)
      pause = Math.min(2 * pause, MAX_PAUSE_MS)
    } finally {
      waiting.end()
    }
  }
}

function isWoken({ aborted, reason }: AbortSignal, error: unknown): boolean {
  return aborted && error === reason
}

/** A signal that aborts when there is a mutation to send, or with `signal`. */
function wakeUp(
  { copy, pusher }: Turn,
  signal: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const wake = new AbortController()
  const stop = (): void => wake.abort(signal.reason)
  signal.addEventListener('abort', stop)
  const forget = copy.onChange(() => {
    if (pusher.hasWork()) wake.abort()
  })
  return {
    signal: wake.signal,
    end: () => {
      signal.removeEventListener('abort', stop)
      forget()
    },
  }
}

/** Returns a refusal of the server, so that the rows can be updated anyway. @throws other errors */
async function pushAll(pusher: Pusher, signal: AbortSignal): Promise<Error | null> {
  try {
    await pusher.flush(signal)
    return null
  } catch (error) {
    if (error instanceof QuireError || error instanceof PushDelayed) return error
    throw error
  }
}

function retryAfterOf(error: unknown): number {
  return error instanceof QuireError ? Math.min(error.retryAfterMs ?? 0, MAX_PAUSE_MS) : 0
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
