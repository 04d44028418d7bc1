const TICK_MS = 20

/**
 * Starts a clock for time limits that also hold on a busy machine.
 *
 * @returns a function that stops it and returns milliseconds: the CPU time of this process or its timer ticks,
 * whichever is more, but never more than wall time
 */
export function startOwnClock(): () => number {
  const startedMs = performance.now()
  const cpu = process.cpuUsage()
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, TICK_MS).unref()
  return () => {
    clearInterval(timer)
    const { user, system } = process.cpuUsage(cpu)
    const cpuMs = Math.min((user + system) / 1_000, performance.now() - startedMs)
    return Math.max(cpuMs, ticks * TICK_MS)
  }
}
