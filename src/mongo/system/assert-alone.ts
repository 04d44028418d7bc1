import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../../base/errors.ts'
import type { Database } from '../connection/database.ts'

/** Longer than the database needs to recognize a killed process. */
const MAX_WAIT_MS = 30_000
const POLL_MS = 500

/** The lease of commands that rewrite all rows, so that one of them works at a time. */
export const REWRITE_LEASE = 'rewrite rows'

const CONVERTS =
  'Stored values must be converted to a new type, and processes of another release are running'

interface AloneOptions {
  /** Stands before the names of the other processes. */
  readonly why?: string
  /** @default 30,000 ms */
  readonly maxWaitMs?: number | undefined
}

/**
 * Rewrites of stored values begin when no process of another release is running, because such a process writes and
 * reads the former values. @throws ConfigError after some time
 */
export async function assertAlone(
  database: Pick<Database, 'findOtherReleases'>,
  release: string,
  { why = CONVERTS, maxWaitMs = MAX_WAIT_MS }: AloneOptions = {},
): Promise<void> {
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    const others = await database.findOtherReleases(release)
    if (others.length === 0) return
    if (performance.now() > deadline) {
      throw new ConfigError([`${why}: ${others.join(', ')}. Stop them first.`])
    }
    await delay(POLL_MS)
  }
}
