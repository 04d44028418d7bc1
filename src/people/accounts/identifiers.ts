import { createHash } from 'node:crypto'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { lockName } from '../../mongo/system/lease.ts'
import { findUser, type User, type UsersContext } from './users.ts'

/** Names of locks stay: so many that few who register at once wait for each other, and no more. */
const LOCKS = 1_024

/**
 * Keeps others from taking one of these names or addresses until the transaction ends: an index keeps names
 * apart from names and addresses from addresses, but no name from being another's address.
 */
export async function lockIdentifiers(
  db: Database,
  identifiers: readonly string[],
  session: Session,
): Promise<void> {
  const locks = new Set(identifiers.map((identifier) => lockOf(identifier.toLowerCase())))
  // In one order, so that no two wait for each other.
  for (const lock of [...locks].sort((one, other) => one - other)) {
    await lockName(db, `identifier ${lock}`, session)
  }
}

function lockOf(identifier: string): number {
  return createHash('sha256').update(identifier).digest().readUInt32BE(0) % LOCKS
}

/** Whether one of these is the name or the address of a user, other than `except`. */
export async function isIdentifier(
  context: Pick<UsersContext, 'db' | 'plan'>,
  identifiers: readonly string[],
  except: Pick<User, 'documentId'> | null,
  session?: Session,
): Promise<boolean> {
  const names = { $in: [...new Set(identifiers.flatMap((one) => [one, one.toLowerCase()]))] }
  const others = except === null ? {} : { documentId: { $ne: except.documentId } }
  // Two look-ups, each by the index of its attribute; of an $or the partial indexes serve neither half.
  const byEmail = await findUser(context, { email: names, ...others }, session)
  return (
    byEmail !== null || (await findUser(context, { username: names, ...others }, session)) !== null
  )
}
