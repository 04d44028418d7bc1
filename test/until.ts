import { setTimeout as wait } from 'node:timers/promises'

/**
 * Looks again and again until something holds.
 *
 * @throws Error when it does not in time
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  deadlineMs: number,
): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`not within ${deadlineMs} ms: ${holds.toString()}`)
    await wait(20)
  }
}
