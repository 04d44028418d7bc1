import { createHash } from 'node:crypto'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { lockName } from '../../mongo/system/lease.ts'
import { findUser, type User, type UsersContext } from './users.ts'

/** Locks are never deleted, so their number is limited. */
const LOCKS = 1_024

/** Unique indexes do not prevent a username that equals the address of another user. */
export async function lockIdentifiers(
  db: Database,
  identifiers: readonly string[],
  session: Session,
): Promise<void> {
  const locks = new Set(identifiers.map((identifier) => lockOf(identifier.toLowerCase())))
  // Sorted, so that two transactions cannot deadlock.
  for (const lock of [...locks].sort((one, other) => one - other)) {
    await lockName(db, `identifier ${lock}`, session)
  }
}

function lockOf(identifier: string): number {
  return createHash('sha256').update(identifier).digest().readUInt32BE(0) % LOCKS
}

export async function isIdentifier(
  context: Pick<UsersContext, 'db' | 'plan'>,
  identifiers: readonly string[],
  except: Pick<User, 'documentId'> | null,
  session?: Session,
): Promise<boolean> {
  const names = { $in: [...new Set(identifiers.flatMap((one) => [one, one.toLowerCase()]))] }
  const others = except === null ? {} : { documentId: { $ne: except.documentId } }
  // Two lookups, because an `$or` cannot use the partial indexes.
  const byEmail = await findUser(context, { email: names, ...others }, session)
  return (
    byEmail !== null || (await findUser(context, { username: names, ...others }, session)) !== null
  )
}
