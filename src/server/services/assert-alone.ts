import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'

/** Longer than the database needs to recognize a killed process. */
const MAX_WAIT_MS = 30_000
const POLL_MS = 500

/**
 * A conversion begins when no process of another release is running, because such a process writes and reads the
 * values of the former type. @throws ConfigError after this time, 30 seconds by default
 */
export async function assertAlone(
  database: Pick<Database, 'findOtherReleases'>,
  release: string,
  maxWaitMs = MAX_WAIT_MS,
): Promise<void> {
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    const others = await database.findOtherReleases(release)
    if (others.length === 0) return
    if (performance.now() > deadline) {
      throw new ConfigError([
        `Stored values must be converted to a new type, and processes of another release are running: ${others.join(', ')}. Stop them first.`,
      ])
    }
    await delay(POLL_MS)
  }
}
