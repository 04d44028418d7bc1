import { GatewayTimeoutError } from '../../errors.ts'
import type { Database } from './database.ts'

/** How many times the bound of one command all commands of one answer may take. */
const COMMANDS_OF_AN_ANSWER = 5
/** Below it the bound of one command is what counts. */
const LEAST_MS = 1_000

/**
 * The same database for one answer: each command gets what is left of five times its usual bound (at least a second), so that a question
 * that takes many commands, one after the other, ends as well. Reading `queryTimeoutMs` throws GatewayTimeoutError when
 * nothing is left.
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
