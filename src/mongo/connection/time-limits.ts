import type { Database, Moment, Session } from './database.ts'
import { GatewayTimeoutError } from '../../base/errors.ts'

export interface CommandOptions {
  readonly maxTimeMS: number
  readonly session?: Session
}

export function optionsOf(database: Database, session?: Session): CommandOptions {
  const maxTimeMS = database.queryTimeoutMs
  return session === undefined ? { maxTimeMS } : { maxTimeMS, session }
}

/** Each read gets its own read concern object, because driver 7.8 writes the snapshot time into it. */
export function optionsAt({ database, session }: Moment) {
  const maxTimeMS = database.queryTimeoutMs
  if (session === undefined) return { maxTimeMS }
  return { maxTimeMS, session, readConcern: { level: 'snapshot' as const } }
}

const COMMANDS_OF_AN_ANSWER = 5
const LEAST_MS = 1_000

/** Limits all reads together to five times the timeout, at least one second. @throws GatewayTimeoutError */
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
