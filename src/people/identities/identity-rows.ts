import { createHash } from 'node:crypto'
import { ApplicationError } from '../../base/errors.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { lockName } from '../../mongo/system/lease.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { ProvenIdentity } from './id-tokens.ts'

export interface IdentityRow {
  /** Hash of issuer and subject, so that an identity has one user. */
  readonly _id: string
  readonly issuer: string
  readonly subject: string
  readonly provider: string
  readonly user: string
  readonly createdAt: Date
}

type IdentityKey = Pick<ProvenIdentity, 'issuer' | 'subject'>

/** Locks are never deleted, so their number is limited. */
const LOCKS = 1_024

/** Per user. The list is complete, so that users see each identity that signs them in. */
const MAX_IDENTITIES = 100

function collectionOfIdentities(db: Database) {
  return db.table<IdentityRow>('quire_identities')
}

export async function ensureIdentities(db: Database): Promise<void> {
  await ensureIndexes(collectionOfIdentities(db), [{ key: { user: 1 }, name: 'user' }])
}

export function findIdentity(
  db: Database,
  identity: IdentityKey,
  session?: Session,
): Promise<IdentityRow | null> {
  return collectionOfIdentities(db).findOne({ _id: idOf(identity) }, { session })
}

/** Oldest first. */
export function listIdentities(
  db: Database,
  user: string,
  session?: Session,
): Promise<readonly IdentityRow[]> {
  return collectionOfIdentities(db)
    .find({ user }, { session })
    .sort({ createdAt: 1, _id: 1 })
    .limit(MAX_IDENTITIES)
    .toArray()
}

/**
 * Replaces the row of a user that was deleted.
 * @throws ApplicationError if the user has the maximum of identities
 */
export async function putIdentity(
  db: Database,
  { issuer, subject, provider }: ProvenIdentity,
  user: string,
  { at, session }: { readonly at: Date; readonly session: Session },
): Promise<void> {
  const _id = idOf({ issuer, subject })
  await lockIdentitiesOf(db, user, session)
  const others = { user, _id: { $ne: _id } }
  if ((await collectionOfIdentities(db).countDocuments(others, { session })) >= MAX_IDENTITIES) {
    throw new ApplicationError(`An account has at most ${MAX_IDENTITIES} identities`)
  }
  const row = { issuer, subject, provider, user, createdAt: at }
  await collectionOfIdentities(db).replaceOne({ _id }, row, { session, upsert: true })
}

export async function removeIdentities(
  db: Database,
  user: string,
  session: Session,
): Promise<void> {
  await collectionOfIdentities(db).deleteMany({ user }, { session })
}

export async function removeIdentity(
  db: Database,
  user: string,
  id: string,
  session: Session,
): Promise<boolean> {
  const { deletedCount } = await collectionOfIdentities(db).deleteOne(
    { _id: id, user },
    { session },
  )
  return deletedCount > 0
}

export async function lockIdentity(
  db: Database,
  identity: IdentityKey,
  session: Session,
): Promise<void> {
  await lockName(db, `identity ${lockNumber(idOf(identity))}`, session)
}

/** Other changes of the identities of the user wait until the transaction ends. */
export async function lockIdentitiesOf(
  db: Database,
  user: string,
  session: Session,
): Promise<void> {
  await lockName(db, `identities ${lockNumber(hashOf(user))}`, session)
}

function lockNumber(hash: string): number {
  return Number.parseInt(hash.slice(0, 8), 16) % LOCKS
}

function idOf({ issuer, subject }: IdentityKey): string {
  return hashOf(JSON.stringify([issuer, subject]))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
