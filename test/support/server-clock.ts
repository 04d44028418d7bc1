import { readFileSync } from 'node:fs'

interface Scheduled {
  /** CPU time of the main thread. */
  readonly ranMs: number
  /** Time that the main thread was ready and waited for a CPU. */
  readonly queuedMs: number
}

const NEVER: Scheduled = { ranMs: 0, queuedMs: 0 }
const SAMPLE_MS = 50

interface ClockOptions {
  /** Whether the server will end: its times are read regularly then, because they end with it. */
  readonly isStopping?: boolean
}

/**
 * Starts a clock for time limits of a server in another process, on a machine of any speed. It counts the CPU time of the
 * main thread of the server, or the wall time without the time in which that thread or this one waited for a CPU and
 * without the CPU time of this one, whichever is more. So it counts work of the server, and its waits for anything else
 * than a CPU. Where Linux does not report these times it counts wall time.
 *
 * @returns a function that returns the milliseconds since the start
 */
export function startServerClock(
  pid: number,
  { isStopping = false }: ClockOptions = {},
): () => number {
  const startedMs = performance.now()
  const [server, own] = [readSchedule(pid) ?? NEVER, readSchedule(process.pid) ?? NEVER]
  let last = server
  const sample = (): boolean => {
    const now = readSchedule(pid)
    last = now ?? last
    return now !== null
  }
  if (isStopping) {
    const timer = setInterval(() => {
      if (!sample()) clearInterval(timer)
    }, SAMPLE_MS).unref()
  }
  return () => {
    sample()
    const wallMs = performance.now() - startedMs
    const ownNow = readSchedule(process.pid) ?? NEVER
    const queuedMs = last.queuedMs - server.queuedMs + ownNow.queuedMs - own.queuedMs
    const servedMs = wallMs - queuedMs - (ownNow.ranMs - own.ranMs)
    return Math.max(last.ranMs - server.ranMs, servedMs, 0)
  }
}

/** Null if the process has ended, or on other systems. */
function readSchedule(pid: number): Scheduled | null {
  try {
    const [ran = '0', queued = '0'] = readFileSync(
      `/proc/${pid}/task/${pid}/schedstat`,
      'utf8',
    ).split(' ')
    return { ranMs: Number(ran) / 1e6, queuedMs: Number(queued) / 1e6 }
  } catch {
    return null
  }
}
