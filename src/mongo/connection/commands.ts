import { asCmsErrors } from './database-error.ts'
import type { Database, Moment, Session } from './database.ts'

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

/**
 * Runs a command that may be part of a transaction. There the driver's error is rethrown for the retry rules.
 * @throws CmsError outside of a transaction, as `asCmsErrors` does
 */
export function inSession<T>(session: Session | undefined, command: () => Promise<T>): Promise<T> {
  return session === undefined ? asCmsErrors(command) : command()
}
