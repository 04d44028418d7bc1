import { setTimeout as wait } from 'node:timers/promises'

const PAUSE_MS = 20

/**
 * Looks again and again until something holds. It gives up after the deadline and as many looks as fit into it: a machine
 * that is too busy for one look gives the work that it waits for no time either.
 *
 * @throws Error when it does not in time, with the text of `instead`
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
