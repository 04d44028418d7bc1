import type { Database } from '../../mongo/connection/database.ts'
import { pluginAction } from './actions.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'
import { documentIdFrom } from '@quire/schema/derived-id'
import { versionId } from '../../mongo/versions/version-match.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/** Also the uid of the content-type. */
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
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Stored as a version, so that queries can populate and filter users by role. */
export interface RoleRow extends Role {
  readonly _id: string
  readonly locale: string
  readonly status: 'published'
  readonly publishedAt: Date
}

export const PUBLIC_ROLE = 'public'
export const AUTHENTICATED_ROLE = 'authenticated'

/** Highest id of the built-in roles. */
export const LAST_BUILT_IN_ROLE_ID = 2

export function collectionOf(db: Database) {
  return db.collection<RoleRow>('quire_roles')
}

/** Safe to run concurrently. */
export async function ensureRoles(db: Database, at: Date): Promise<void> {
  for (const role of builtInRoles()) await ensureRow(collectionOf(db), toRoleRow(role, at))
}

export async function findRoles(db: Database): Promise<readonly Role[]> {
  const rows = await collectionOf(db)
    .find({}, { maxTimeMS: db.queryTimeoutMs })
    .sort({ id: 1 })
    .toArray()
  return rows.map(toRole)
}

export function toRole({ id, documentId, name, type, ...rest }: RoleRow): Role {
  const { description, permissions, createdAt, updatedAt } = rest
  return { id, documentId, name, type, description, permissions, createdAt, updatedAt }
}

type NewRole = Omit<Role, 'documentId' | 'createdAt' | 'updatedAt'>

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

/**
 * Derived from the type, so that types are unique without an index and concurrent starts create
 * each role once.
 */
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
