import { asCmsErrors } from './database-error.ts'
import type { Database, Moment, Session } from './database.ts'

export interface CommandOptions {
  readonly maxTimeMS: number
  readonly session?: Session
}

/** The bound of one command, and the transaction that it belongs to. */
export function optionsOf(database: Database, session?: Session): CommandOptions {
  const maxTimeMS = database.queryTimeoutMs
  return session === undefined ? { maxTimeMS } : { maxTimeMS, session }
}

/**
 * The bound of one read of a moment. Driver 7.8 writes the time of the snapshot into the read concern that it is given: it
 * gets one of its own each time.
 */
export function optionsAt({ database, session }: Moment) {
  const maxTimeMS = database.queryTimeoutMs
  if (session === undefined) return { maxTimeMS }
  return { maxTimeMS, session, readConcern: { level: 'snapshot' as const } }
}

/**
 * Runs what may be part of a transaction. There a driver's error must reach the driver as it is, for its
 * retry rules; elsewhere the client gets our error for it.
 * @throws CmsError outside of a transaction, as `asCmsErrors` does.
 */
export function inSession<T>(session: Session | undefined, command: () => Promise<T>): Promise<T> {
  return session === undefined ? asCmsErrors(command) : command()
}
