import type { Collection } from 'mongodb'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { Permission } from './rights.ts'

export interface AdministratorRow {
  readonly _id: string
  readonly name: string
  /** In lower case. */
  readonly email: string
  /** Types; those that are gone permit nothing. */
  readonly roles: readonly string[]
  /** Of the texts of the Studio; null: as the browser asks for. */
  readonly language: string | null
  /** A hash; null for who has not chosen one. */
  readonly password: string | null
  /** Moves with the password: sessions that were begun in an earlier one are over. */
  readonly epoch: number
  /** Whom an identity provider names; absent where none does. */
  readonly oidc?: LinkedIdentity
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface LinkedIdentity {
  readonly issuer: string
  readonly subject: string
  /** Whether the provider made them, and says at each sign-in which roles they have. */
  readonly isManaged: boolean
}

/** A role that somebody made; those that exist from the start are in `rights.ts`. */
export interface AdministratorRoleRow {
  /** The type. */
  readonly _id: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export function administratorRows(db: Database): Collection<AdministratorRow> {
  return db.collection<AdministratorRow>('quire_admins')
}

export function administratorRolesOf(db: Database): Collection<AdministratorRoleRow> {
  return db.collection<AdministratorRoleRow>('quire_admin_roles')
}

/** Creates the collections and their indexes where they do not exist. */
export async function ensureAdministrators(db: Database): Promise<void> {
  await ensureIndexes(administratorRows(db), [{ key: { email: 1 }, name: 'email', unique: true }])
  await ensureIndexes(administratorRolesOf(db), [{ key: { name: 1 }, name: 'name', unique: true }])
}

/** All that there are, and the roles: few. */
export interface Staff {
  readonly administrators: readonly AdministratorRow[]
  readonly roles: readonly AdministratorRoleRow[]
}

export async function findStaff(db: Database, session?: Session): Promise<Staff> {
  const options = session === undefined ? { maxTimeMS: db.queryTimeoutMs } : { session }
  // One after the other: a session runs one command at a time.
  const administrators = await administratorRows(db)
    .find({}, options)
    .sort({ createdAt: 1, _id: 1 })
    .toArray()
  const roles = await administratorRolesOf(db).find({}, options).sort({ _id: 1 }).toArray()
  return { administrators, roles }
}
