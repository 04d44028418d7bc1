import Joi from 'joi'
import { ApplicationError, NotFoundError } from '../errors.ts'
import type { Database, Session } from '../mongo/database.ts'
import { type Actions, pluginAction } from './actions.ts'
import { newDocumentId } from '../mongo/document-id.ts'
import { assertKnown, permissionsRule } from './granted.ts'
import { inputError, readInput, shortText } from './input.ts'
import type { Stamped } from '../mongo/stamped.ts'
import { asCmsErrors, ensureIndexes, ensureRow, PRIMARY } from '../mongo/system-collections.ts'

export interface Role {
  readonly id: number
  readonly documentId: string
  readonly name: string
  /** The key of the role: lower case, never changed, `public` for whoever is not known. */
  readonly type: string
  readonly description: string
  /** In the order in which they were given; those whose content-type is gone included. */
  readonly permissions: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

interface RoleRow extends Omit<Role, 'type'> {
  /** The type: so it is unique without an index of its own. */
  readonly _id: string
}

/** The stored roles. `input` is whatever a client sent; it is read and checked here. */
export interface Roles {
  /** In the order in which they were made. */
  list(): Promise<readonly Role[]>
  /** @throws NotFoundError */
  get(type: string): Promise<Role>
  /** @throws ValidationError */
  create(input: unknown): Promise<Role>
  /** Changes what is given and keeps the rest. @throws NotFoundError, ValidationError */
  update(type: string, input: unknown): Promise<Role>
  /** Permits what is not permitted yet. @throws NotFoundError, ValidationError */
  grant(type: string, permissions: readonly string[]): Promise<Role>
  /** No longer permits what was; names that are not permitted are passed over. @throws NotFoundError */
  revoke(type: string, permissions: readonly string[]): Promise<Role>
  /** @throws NotFoundError, ApplicationError for `public` and `authenticated` */
  remove(type: string): Promise<Role>
}

interface RoleInput {
  readonly name: string
  readonly type: string
  readonly description?: string
  readonly permissions?: readonly string[]
}

export const PUBLIC_ROLE = 'public'
export const AUTHENTICATED_ROLE = 'authenticated'

/** Ids up to this one belong to the roles that exist from the start. */
export const LAST_BUILT_IN_ROLE_ID = 2

const DESCRIPTION = Joi.string().max(1_000).allow('')

const CREATE = Joi.object<RoleInput>({
  name: shortText().required(),
  type: Joi.string()
    .max(64)
    .pattern(/^[a-z][a-z0-9_-]*$/)
    .required()
    .messages({
      'string.pattern.base': '{{#label}} must be lower-case letters, digits, _ and -',
    }),
  description: DESCRIPTION,
  permissions: permissionsRule(),
})

const UPDATE = Joi.object<Partial<RoleInput>>({
  name: shortText(),
  type: Joi.string(),
  description: DESCRIPTION,
  permissions: permissionsRule(),
})

const collectionOf = (db: Database) => db.collection<RoleRow>('quire_roles')

/** Creates `authenticated` and `public` where they do not exist; many processes may do so at once. */
export async function ensureRoles(db: Database, at: Date): Promise<void> {
  const roles = collectionOf(db)
  await ensureIndexes(roles, [{ key: { name: 1 }, name: 'name', unique: true }])
  for (const role of builtInRoles()) {
    await ensureRow(roles, {
      ...role,
      documentId: newDocumentId(),
      createdAt: at,
      updatedAt: at,
    })
  }
}

export async function findRoles(db: Database): Promise<readonly Role[]> {
  const rows = await collectionOf(db)
    .find({}, { ...PRIMARY, maxTimeMS: db.queryTimeoutMs })
    .sort({ id: 1 })
    .toArray()
  return rows.map(toRole)
}

export interface RolesContext {
  readonly db: Database
  readonly actions: Actions
  readonly stamped: Pick<Stamped<unknown>, 'change'>
  readonly now: () => Date
}

export function openRoles(context: RolesContext): Roles {
  const { db, stamped } = context
  const roles = collectionOf(db)
  return {
    list: () => asCmsErrors(() => findRoles(db)),
    get: async (type) => {
      const options = { ...PRIMARY, maxTimeMS: db.queryTimeoutMs }
      const row = await asCmsErrors(() => roles.findOne({ _id: type }, options))
      if (row === null) throw noSuchRole(type)
      return toRole(row)
    },
    create: (input) => createRole(context, input),
    update: async (type, input) => {
      const wanted = readInput(UPDATE, input)
      if (wanted.type !== undefined && wanted.type !== type) {
        throw inputError('type', 'type cannot be changed', wanted.type)
      }
      return changeRole(context, type, () => wanted)
    },
    grant: (type, names) =>
      changeRole(context, type, ({ permissions }) => ({
        permissions: [...new Set([...permissions, ...names])],
      })),
    revoke: (type, names) =>
      changeRole(context, type, ({ permissions }) => ({
        permissions: permissions.filter((name) => !names.includes(name)),
      })),
    remove: async (type) => {
      if (type === PUBLIC_ROLE || type === AUTHENTICATED_ROLE) {
        throw new ApplicationError(`The role ${type} cannot be removed`)
      }
      return stamped.change(async (session) => {
        const row = await roles.findOneAndDelete({ _id: type }, { session })
        if (row === null) throw noSuchRole(type)
        return toRole(row)
      })
    },
  }
}

async function createRole(context: RolesContext, input: unknown): Promise<Role> {
  const { db, actions, stamped, now } = context
  const { type, name, description = '', permissions = [] } = readInput(CREATE, input)
  assertKnown(actions, permissions)
  const roles = collectionOf(db)
  return stamped.change(async (session, id) => {
    if ((await roles.findOne({ _id: type }, { session })) !== null) throw taken('type', type)
    await assertNameFree(db, session, name, type)
    const at = now()
    const row: RoleRow = {
      _id: type,
      id,
      documentId: newDocumentId(),
      name,
      description,
      permissions,
      createdAt: at,
      updatedAt: at,
    }
    await roles.insertOne(row, { session })
    return toRole(row)
  })
}

function changeRole(
  { db, actions, stamped, now }: RolesContext,
  type: string,
  edit: (role: Role) => Partial<Pick<RoleInput, 'name' | 'description' | 'permissions'>>,
): Promise<Role> {
  const roles = collectionOf(db)
  return stamped.change(async (session) => {
    const row = await roles.findOne({ _id: type }, { session })
    if (row === null) throw noSuchRole(type)
    const { name, description, permissions } = { ...row, ...edit(toRole(row)) }
    assertKnown(actions, permissions, row.permissions)
    await assertNameFree(db, session, name, type)
    const changed = { name, description, permissions, updatedAt: now() }
    await roles.updateOne({ _id: type }, { $set: changed }, { session })
    return toRole({ ...row, ...changed })
  })
}

async function assertNameFree(
  db: Database,
  session: Session,
  name: string,
  type: string,
): Promise<void> {
  const holder = await collectionOf(db).findOne({ name }, { session })
  if (holder !== null && holder._id !== type) throw taken('name', name)
}

function toRole({ _id, id, documentId, name, ...rest }: RoleRow): Role {
  const { description, permissions, createdAt, updatedAt } = rest
  return { id, documentId, name, type: _id, description, permissions, createdAt, updatedAt }
}

function taken(key: string, value: string) {
  return inputError(key, 'This attribute must be unique', value)
}

function noSuchRole(type: string): NotFoundError {
  return new NotFoundError(`There is no role ${type}`)
}

/** Everything is private at first, but for what end users need to sign in, as in the reference. */
function builtInRoles(): readonly Omit<RoleRow, 'documentId' | 'createdAt' | 'updatedAt'>[] {
  const auth = 'plugin::users-permissions.auth'
  return [
    {
      _id: AUTHENTICATED_ROLE,
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
      _id: PUBLIC_ROLE,
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
