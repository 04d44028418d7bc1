import type { Database } from '../../mongo/connection/database.ts'
import { pluginAction } from './actions.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'
import { documentIdFrom } from '@quire/schema/derived-id'
import { versionId } from '../../mongo/versions/version-match.ts'
import { fromRuleRow, type RuleSchema } from '../rules/rename-rule.ts'
import type { StoredRule, StoredRuleRow } from '../rules/stored-rule.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

export const ROLE_TYPE = 'plugin::users-permissions.role'

export interface Role {
  readonly id: number
  readonly documentId: string
  readonly name: string
  /** Immutable. `public` applies to anonymous requests. */
  readonly type: string
  readonly description: string
  /** Includes permissions of deleted content-types. */
  readonly permissions: readonly string[]
  /** Permissions under conditions. Absent if there are none. */
  readonly rules?: readonly StoredRule[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Stored as a version, so that queries can populate and filter users by role. */
export interface RoleRow extends Omit<Role, 'rules'> {
  readonly rules?: readonly StoredRuleRow[]
  readonly _id: string
  readonly locale: string
  readonly status: 'published'
  readonly publishedAt: Date
}

export const PUBLIC_ROLE = 'public'
export const AUTHENTICATED_ROLE = 'authenticated'
/** Exists where anonymous users are on. */
export const ANONYMOUS_ROLE = 'anonymous-user'

export const LAST_BUILT_IN_ROLE_ID = 2

export const ROLES = 'quire_roles'

export function collectionOf(db: Database) {
  return db.table<RoleRow>(ROLES)
}

export async function ensureRoles(db: Database, at: Date): Promise<void> {
  for (const role of builtInRoles()) await ensureRow(collectionOf(db), toRoleRow(role, at))
}

/** Without permissions. Takes the next id, because roles of the project have the ids after the built-in ones. */
export async function ensureAnonymousRole(
  db: Database,
  versionedCache: Pick<VersionedCache<unknown>, 'change'>,
  at: Date,
): Promise<void> {
  const roles = collectionOf(db)
  const _id = rowId(ANONYMOUS_ROLE)
  if ((await roles.findOne({ _id })) !== null) return
  await versionedCache.change(async (session, id) => {
    if ((await roles.findOne({ _id }, { session })) !== null) return
    const holder = await roles.findOne({ name: ANONYMOUS_NAME }, { session })
    const role = {
      type: ANONYMOUS_ROLE,
      id,
      name: holder === null ? ANONYMOUS_NAME : ANONYMOUS_ROLE,
      description: 'Role of users that have not registered yet.',
      permissions: [],
    }
    const row = toRoleRow(role, at)
    await roles.insertOne(row, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: row.documentId })
  })
}

const ANONYMOUS_NAME = 'Anonymous user'

export async function findRoles(db: Database, schema: RuleSchema): Promise<readonly Role[]> {
  const rows = await collectionOf(db).find({}).sort({ id: 1 }).toArray()
  return rows.map((row) => toRole(row, schema))
}

/** The rules of the role have the current names of attributes. */
export function toRole(
  { id, documentId, name, type, rules = [], ...rest }: RoleRow,
  schema: RuleSchema,
): Role {
  const { description, permissions, createdAt, updatedAt } = rest
  const role = { id, documentId, name, type, description, permissions, createdAt, updatedAt }
  return rules.length === 0
    ? role
    : { ...role, rules: rules.map((rule) => fromRuleRow(schema, rule)) }
}

type NewRole = Omit<RoleRow, '_id' | 'documentId' | 'locale' | 'status' | NewDate>
type NewDate = 'createdAt' | 'updatedAt' | 'publishedAt'

export function toRoleRow(role: NewRole, at: Date): RoleRow {
  return {
    ...role,
    _id: rowId(role.type),
    documentId: roleDocumentId(role.type),
    locale: NO_LOCALE,
    status: 'published',
    createdAt: at,
    updatedAt: at,
    publishedAt: at,
  }
}

export function rowId(type: string): string {
  return versionId(roleDocumentId(type), { locale: NO_LOCALE, status: 'published' })
}

/** Derived from the type, so that concurrent starts create each role once. */
export function roleDocumentId(type: string): string {
  return documentIdFrom('r', `role ${type}`)
}

/** Everything is private except sign-in actions, as in the reference. */
function builtInRoles(): readonly NewRole[] {
  const auth = 'plugin::users-permissions.auth'
  return [
    {
      type: AUTHENTICATED_ROLE,
      id: 1,
      name: 'Authenticated',
      description: 'Default role given to authenticated user.',
      permissions: [
        pluginAction('plugin::users-permissions.user', 'me'),
        pluginAction(auth, 'changePassword'),
        pluginAction(auth, 'logout'),
      ],
    },
    {
      type: PUBLIC_ROLE,
      id: LAST_BUILT_IN_ROLE_ID,
      name: 'Public',
      description: 'Default role given to unauthenticated user.',
      permissions: [
        pluginAction(auth, 'callback'),
        pluginAction(auth, 'connect'),
        pluginAction(auth, 'register'),
        pluginAction(auth, 'forgotPassword'),
        pluginAction(auth, 'resetPassword'),
        pluginAction(auth, 'emailConfirmation'),
        pluginAction(auth, 'sendEmailConfirmation'),
        pluginAction(auth, 'refresh'),
      ],
    },
  ]
}
