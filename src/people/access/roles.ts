import Joi from 'joi'
import { ApplicationError, because, NotFoundError } from '../../base/errors.ts'
import { asCmsErrors } from '../../mongo/connection/database-error.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { type Actions, canonicalAction } from './actions.ts'
import { assertKnownActions, permissionsRule } from './granted.ts'
import { inputError, readInput, shortText, takenError } from './input.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'
import { lockName } from '../../mongo/system/lease.ts'
import {
  AUTHENTICATED_ROLE,
  collectionOf,
  findRoles,
  PUBLIC_ROLE,
  type Role,
  ROLE_TYPE,
  roleDocumentId,
  rowId,
  toRole,
  toRoleRow,
} from './role-rows.ts'

/** Every `input` is unvalidated. */
export interface Roles {
  list(): Promise<readonly Role[]>
  /** @throws NotFoundError */
  get(type: string): Promise<Role>
  /** @throws ValidationError */
  create(input: unknown, assertMayChange?: AssertMayChange): Promise<Role>
  /**
   * `assertMayChange` runs in the transaction, so a concurrently revoked permission counts as an
   * addition.
   * @throws NotFoundError, ValidationError
   */
  update(type: string, input: unknown, assertMayChange?: AssertMayChange): Promise<Role>
  /** @throws NotFoundError, ValidationError */
  grant(type: string, permissions: readonly string[]): Promise<Role>
  /**
   * Ignores names that are not granted.
   * @throws NotFoundError
   */
  revoke(type: string, permissions: readonly string[]): Promise<Role>
  /** Prevents the removal of a role until the transaction ends. Returns false if the role does not exist. */
  hold(documentId: string, session: Session): Promise<boolean>
  /** @throws NotFoundError, ApplicationError for `public`, `authenticated` and roles with users */
  remove(type: string, assertMayChange?: AssertMayChange): Promise<Role>
}

/**
 * Checks additions and removals. Otherwise a principal could revoke permissions that it cannot
 * restore.
 */
export type AssertMayChange = (changed: readonly string[]) => void

const ANY_CHANGE: AssertMayChange = () => undefined

interface RoleInput {
  readonly name: string
  readonly type: string
  readonly description?: string
  readonly permissions?: readonly string[]
}

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

export interface RolesContext {
  readonly db: Database
  readonly actions: Actions
  readonly versionedCache: Pick<VersionedCache<unknown>, 'change'>
  readonly now: () => Date
  readonly countUsers: (documentId: string, session: Session) => Promise<number>
}

export function openRoles(context: RolesContext): Roles {
  const { db } = context
  const roles = collectionOf(db)
  return {
    list: () => asCmsErrors(() => findRoles(db)),
    get: async (type) => {
      const options = { maxTimeMS: db.queryTimeoutMs }
      const row = await asCmsErrors(() => roles.findOne({ _id: rowId(type) }, options))
      if (row === null) throw noSuchRole(type)
      return toRole(row)
    },
    create: (input, assertMayChange) => createRole(context, input, assertMayChange),
    update: (type, input, assertMayChange) => updateRole(context, type, input, assertMayChange),
    grant: (type, names) =>
      changeRole(context, type, ({ permissions }) => ({
        permissions: [...new Set([...permissions, ...names.map(canonicalAction)])],
      })),
    revoke: (type, names) =>
      changeRole(context, type, ({ permissions }) => ({
        permissions: permissions.filter(
          (name) => !names.includes(name) && !names.map(canonicalAction).includes(name),
        ),
      })),
    hold: (documentId, session) => holdRole(db, documentId, session),
    remove: (type, assertMayChange) => removeRole(context, type, assertMayChange),
  }
}

async function removeRole(
  { db, actions, versionedCache, countUsers }: RolesContext,
  type: string,
  assertMayChange = ANY_CHANGE,
): Promise<Role> {
  if (type === PUBLIC_ROLE || type === AUTHENTICATED_ROLE) {
    const message = `The role ${type} cannot be removed`
    throw new ApplicationError(message, {}, because(message, 'role.fixed'))
  }
  return versionedCache.change(async (session) => {
    await lockName(db, lockOf(roleDocumentId(type)), session)
    const row = await collectionOf(db).findOneAndDelete({ _id: rowId(type) }, { session })
    if (row === null) throw noSuchRole(type)
    assertMayChange(row.permissions.filter((name) => actions.has(name)))
    const users = await countUsers(row.documentId, session)
    if (users > 0) {
      const message = `The role ${type} has ${users} users`
      throw new ApplicationError(message, {}, { code: 'role_in_use' })
    }
    noteRow(session, 'delete', { type: ROLE_TYPE, documentId: row.documentId })
    return toRole(row)
  })
}

/** Serializes assigning and removing a role. */
function lockOf(documentId: string): string {
  return `role ${documentId}`
}

/** Built-in roles cannot be removed, so registrations need no lock. */
const LASTING: ReadonlySet<string> = new Set([PUBLIC_ROLE, AUTHENTICATED_ROLE].map(roleDocumentId))

async function holdRole(db: Database, documentId: string, session: Session): Promise<boolean> {
  if (LASTING.has(documentId)) return true
  await lockName(db, lockOf(documentId), session)
  const options = { session, projection: { _id: 1 } } as const
  return (await collectionOf(db).findOne({ documentId }, options)) !== null
}

async function createRole(
  context: RolesContext,
  input: unknown,
  assertMayChange = ANY_CHANGE,
): Promise<Role> {
  const { db, actions, versionedCache, now } = context
  const { type, name, description = '', permissions = [] } = readInput(CREATE, input)
  assertKnownActions(actions, permissions)
  assertMayChange(permissions)
  const roles = collectionOf(db)
  return versionedCache.change(async (session, id) => {
    const holder = await roles.findOne({ _id: rowId(type) }, { session })
    if (holder !== null) throw takenError('type', type)
    await assertNameFree(db, session, name, type)
    const row = toRoleRow({ id, type, name, description, permissions }, now())
    await roles.insertOne(row, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: row.documentId })
    return toRole(row)
  })
}

async function updateRole(
  context: RolesContext,
  type: string,
  input: unknown,
  assertMayChange = ANY_CHANGE,
): Promise<Role> {
  const wanted = readInput(UPDATE, input)
  if (wanted.type !== undefined && wanted.type !== type) {
    throw inputError('type', 'type cannot be changed', wanted.type, { code: 'any.fixed' })
  }
  return changeRole(context, type, ({ permissions }) => {
    const changed = changedActions(permissions, wanted.permissions ?? permissions)
    // A project may have deleted the content-type of a stored permission.
    assertMayChange(changed.filter((name) => context.actions.has(name)))
    return wanted
  })
}

function changedActions(before: readonly string[], after: readonly string[]): readonly string[] {
  const added = after.filter((name) => !before.includes(name))
  const removed = before.filter((name) => !after.includes(name))
  return [...added, ...removed]
}

function changeRole(
  { db, actions, versionedCache, now }: RolesContext,
  type: string,
  edit: (role: Role) => Partial<Pick<RoleInput, 'name' | 'description' | 'permissions'>>,
): Promise<Role> {
  const roles = collectionOf(db)
  return versionedCache.change(async (session) => {
    const row = await roles.findOne({ _id: rowId(type) }, { session })
    if (row === null) throw noSuchRole(type)
    const { name, description, permissions } = { ...row, ...edit(toRole(row)) }
    assertKnownActions(actions, permissions, row.permissions)
    await assertNameFree(db, session, name, type)
    const at = now()
    const changed = { name, description, permissions, updatedAt: at, publishedAt: at }
    await roles.updateOne({ _id: row._id }, { $set: changed }, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: row.documentId })
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
  if (holder !== null && holder.type !== type) throw takenError('name', name)
}

function noSuchRole(type: string): NotFoundError {
  return new NotFoundError(`There is no role ${type}`)
}
