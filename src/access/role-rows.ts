import type { Database } from '../mongo/connection/database.ts'
import { pluginAction } from './actions.ts'
import { ensureRow } from '../mongo/system/system-collections.ts'
import { documentIdFrom } from '../mongo/versions/document-id.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'

/** What the commit log calls it; the uid of its content-type. */
export const ROLE_TYPE = 'plugin::users-permissions.role'

export interface Role {
  readonly id: number
  readonly documentId: string
  readonly name: string
  /** The key of the role: lower case, never changed, `public` for anonymous requests. */
  readonly type: string
  readonly description: string
  /** In the order in which they were given; those whose content-type is gone included. */
  readonly permissions: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A role is stored as a version of its content-type, so that users are populated and filtered by it. */
export interface RoleRow extends Role {
  readonly _id: string
  readonly locale: string
  readonly status: 'published'
  readonly publishedAt: Date
}

export const PUBLIC_ROLE = 'public'
export const AUTHENTICATED_ROLE = 'authenticated'

/** Ids up to this one belong to the roles that exist from the start. */
export const LAST_BUILT_IN_ROLE_ID = 2

export function collectionOf(db: Database) {
  return db.collection<RoleRow>('quire_roles')
}

/**
 * Creates `authenticated` and `public` where they do not exist; many processes may do so at once. The
 * indexes are those of the content-type.
 */
export async function ensureRoles(db: Database, at: Date): Promise<void> {
  for (const role of builtInRoles()) await ensureRow(collectionOf(db), toRow(role, at))
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

export function toRow(role: NewRole, at: Date): RoleRow {
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
 * It follows from the type, so that a type is unique without an index, many processes may create the
 * first roles at once, and a role is found by one look-up by `_id`.
 */
export function roleDocumentId(type: string): string {
  return documentIdFrom('r', `role ${type}`)
}

/** Everything is private at first, but for what end users need to sign in, as in the reference. */
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
