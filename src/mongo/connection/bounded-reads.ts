import { GatewayTimeoutError } from '../../errors.ts'
import type { Database } from './database.ts'

/** Time limit of all commands of one response, as a multiple of the limit of one command. */
const COMMANDS_OF_AN_ANSWER = 5
const LEAST_MS = 1_000

/**
 * Returns a view of the database for one response, so that a response with many sequential commands also has a
 * deadline. All commands share five times the usual timeout, at least one second. Reading `queryTimeoutMs` throws
 * GatewayTimeoutError after the deadline.
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
