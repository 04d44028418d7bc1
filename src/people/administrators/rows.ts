import type { Database, Session } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { StoredRuleRow } from '../rules/stored-rule.ts'
import type { Theme } from './administrator-input.ts'
import type { Permission } from './rights.ts'
import type { Table } from '../../mongo/connection/table.ts'

export interface AdministratorRow {
  readonly _id: string
  readonly name: string
  /** In lower case. */
  readonly email: string
  /** Types of roles. Unknown types grant no permission. */
  readonly roles: readonly string[]
  readonly language: string | null
  /** The theme of the system, if absent or null. */
  readonly theme?: Theme | null
  readonly password: string | null
  /** Incremented with the password. Sessions of an earlier epoch are invalid. */
  readonly epoch: number
  readonly oidc?: LinkedIdentity
  /** For lists. The sign-in reads the row of the second factor itself. */
  readonly hasTotp?: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface LinkedIdentity {
  readonly issuer: string
  readonly subject: string
  /** Whether the provider created the administrator and sets the roles at every sign-in. */
  readonly isManaged: boolean
}

export interface AdministratorRoleRow {
  readonly _id: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly rules?: readonly StoredRuleRow[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export function administratorRows(db: Database): Table<AdministratorRow> {
  return db.table<AdministratorRow>('quire_admins')
}

export const ADMINISTRATOR_ROLES = 'quire_admin_roles'

export function administratorRolesOf(db: Database): Table<AdministratorRoleRow> {
  return db.table<AdministratorRoleRow>(ADMINISTRATOR_ROLES)
}

export async function ensureAdministrators(db: Database): Promise<void> {
  await ensureIndexes(administratorRows(db), [{ key: { email: 1 }, name: 'email', unique: true }])
  await ensureIndexes(administratorRolesOf(db), [{ key: { name: 1 }, name: 'name', unique: true }])
}

export interface Staff {
  readonly administrators: readonly AdministratorRow[]
  readonly roles: readonly AdministratorRoleRow[]
}

export async function findStaff(db: Database, session?: Session): Promise<Staff> {
  const options = session === undefined ? { maxTimeMS: db.queryTimeoutMs } : { session }
  // Sequential, because a session runs one command at a time.
  const administrators = await administratorRows(db)
    .find({}, options)
    .sort({ createdAt: 1, _id: 1 })
    .toArray()
  const roles = await administratorRolesOf(db).find({}, options).sort({ _id: 1 }).toArray()
  return { administrators, roles }
}
