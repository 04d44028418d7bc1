import { setTimeout as wait } from 'node:timers/promises'

/**
 * Looks again and again until something holds.
 *
 * @throws Error when it does not in time, with what `instead` says there is
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  deadlineMs: number,
  instead: () => string = () => '',
): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`not within ${deadlineMs} ms: ${holds.toString()} ${instead()}`)
    await wait(20)
  }
}

/**
 * The same for a number that grows: as long as it does, a busy machine may take its time.
 *
 * @throws Error when it has not grown in time, with what `instead` says there is
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
