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
