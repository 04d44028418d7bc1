import { asCmsErrors } from './database-error.ts'
import type { Database, Session } from './database.ts'

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
 * Runs what may be part of a transaction. There a driver's error must reach the driver as it is, for its
 * retry rules; elsewhere the client gets our error for it.
 * @throws CmsError outside of a transaction, as `asCmsErrors` does.
 */
export function inSession<T>(session: Session | undefined, command: () => Promise<T>): Promise<T> {
  return session === undefined ? asCmsErrors(command) : command()
}
