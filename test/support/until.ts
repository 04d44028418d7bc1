import { setTimeout as wait } from 'node:timers/promises'

const PAUSE_MS = 20

/**
 * Polls until a condition is true. Gives up after the deadline and a minimum number of polls, because a machine that is
 * too busy to poll also delays the awaited work.
 *
 * @throws Error with the text of `instead` if the condition stays false
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  deadlineMs: number,
  instead: () => string = () => '',
): Promise<void> {
  const deadline = performance.now() + deadlineMs
  for (let looks = 1; !(await holds()); looks += 1) {
    if (performance.now() > deadline && looks > deadlineMs / PAUSE_MS)
      throw new Error(`not within ${deadlineMs} ms: ${holds.toString()} ${instead()}`)
    await wait(PAUSE_MS)
  }
}

/**
 * Polls until a number has grown enough. As long as it grows, the deadline is extended.
 *
 * @throws Error with the text of `instead` if it stops growing
 */
export async function untilGrown(
  { read, by }: { readonly read: () => number; readonly by: number },
  deadlineMs: number,
  instead: () => string = () => '',
): Promise<void> {
  const wanted = read() + by
  while (read() < wanted) {
    const before = read()
    await until(
      () => read() > before,
      deadlineMs,
      () => `${before} of ${wanted} ${instead()}`,
    )
  }
}
