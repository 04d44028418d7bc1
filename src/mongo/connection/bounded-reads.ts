import { GatewayTimeoutError } from '../../base/errors.ts'
import type { Database } from './database.ts'

const COMMANDS_OF_AN_ANSWER = 5
const LEAST_MS = 1_000

/**
 * Returns a view of the database that limits the total time of its commands to five times the usual
 * timeout, at least one second.
 * @throws GatewayTimeoutError when `queryTimeoutMs` is read after the deadline
 */
export function boundedReads(
  database: Database,
  now: () => number = () => performance.now(),
): Database {
  const { queryTimeoutMs } = database
  const endsAt = now() + Math.max(COMMANDS_OF_AN_ANSWER * queryTimeoutMs, LEAST_MS)
  return {
    ...database,
    get queryTimeoutMs() {
      const leftMs = Math.ceil(endsAt - now())
      if (leftMs <= 0) throw new GatewayTimeoutError('The queries of this answer took too long')
      return Math.min(leftMs, queryTimeoutMs)
    },
  }
}
