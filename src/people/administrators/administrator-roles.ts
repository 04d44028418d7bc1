import Joi from 'joi'
import { actionRule } from '../access/granted.ts'
import { inputError, readInput, shortText, takenError } from '../access/input.ts'
import type { Principal } from '../access/principal.ts'
import {
  ApplicationError,
  because,
  fault,
  NotFoundError,
  validationError,
} from '../../base/errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { AdministratorsContext } from './administrators.ts'
import type { Permission } from './rights.ts'
import { administratorRolesOf, type AdministratorRoleRow, findStaff, type Staff } from './rows.ts'
import { type AdministratorRole, assertHolds, rolesOf } from './staff.ts'

const ROLE_TYPE = 'admin::role'

interface RoleInput {
  readonly type: string
  readonly name: string
  readonly description?: string
  readonly permissions?: readonly Permission[]
}

const MAX_PERMISSIONS = 10_000

const PERMISSION = Joi.object<Permission>({
  action: actionRule().required(),
  locales: Joi.array().items(Joi.string().max(35)).unique().min(1).max(1_000),
})

const FIELDS = {
  description: Joi.string().max(1_000).allow(''),
  permissions: Joi.array()
    .items(PERMISSION)
    .unique((one: Permission, other: Permission) => one.action === other.action)
    .max(MAX_PERMISSIONS),
}

const NEW_ROLE = Joi.object<RoleInput>({
  type: Joi.string()
    .max(64)
    .pattern(/^[a-z][a-z0-9_-]*$/)
    .required()
    .messages({ 'string.pattern.base': '{{#label}} must be lower-case letters, digits, _ and -' }),
  name: shortText().required(),
  ...FIELDS,
})

const ROLE_CHANGE = Joi.object<Partial<RoleInput>>({
  type: Joi.string(),
  name: shortText(),
  ...FIELDS,
})

/** Permissions can be restricted to locales only for localized content-types. */
export type IsLocalized = (uid: string) => boolean

export async function listAdministratorRoles({
  actions,
  versionedCache,
}: AdministratorsContext): Promise<readonly AdministratorRole[]> {
  return rolesOf(actions, await versionedCache.current())
}

/** @throws NotFoundError */
export async function getAdministratorRole(
  { actions, versionedCache }: AdministratorsContext,
  type: string,
): Promise<AdministratorRole> {
  return roleOf(rolesOf(actions, await versionedCache.current()), type)
}

/** @throws ValidationError, ForbiddenError for permissions that the actor does not have */
export async function createAdministratorRole(
  context: AdministratorsContext,
  actor: Principal,
  input: unknown,
  isLocalized: IsLocalized,
): Promise<AdministratorRole> {
  const { type, name, description = '', permissions = [] } = readInput(NEW_ROLE, input)
  const { db, actions, versionedCache, now } = context
  assertPermissions(context, permissions, [], isLocalized)
  return versionedCache.change(async (session) => {
    const staff = await findStaff(db, session)
    if (rolesOf(actions, staff).some((role) => role.type === type)) throw takenError('type', type)
    assertNameFree(context, staff, name, type)
    assertHolds(actions, staff, actor, permissions)
    const at = now()
    const row = { _id: type, name, description, permissions, createdAt: at, updatedAt: at }
    await administratorRolesOf(db).insertOne(row, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: type })
    return shown(row)
  })
}

/**
 * The actor must have all permissions of the role.
 * @throws NotFoundError, ValidationError, ForbiddenError, ApplicationError for a built-in role
 */
export async function updateAdministratorRole(
  context: AdministratorsContext,
  actor: Principal,
  type: string,
  input: unknown,
  isLocalized: IsLocalized,
): Promise<AdministratorRole> {
  const wanted = readInput(ROLE_CHANGE, input)
  if (wanted.type !== undefined && wanted.type !== type) {
    throw inputError('type', 'type cannot be changed', wanted.type, { code: 'any.fixed' })
  }
  const { db, actions, versionedCache, now } = context
  return versionedCache.change(async (session) => {
    const staff = await findStaff(db, session)
    const row = storedRole(context, staff, type)
    const { name, description, permissions } = { ...row, ...wanted }
    assertPermissions(context, permissions, row.permissions, isLocalized)
    assertHolds(actions, staff, actor, [...row.permissions, ...permissions])
    assertNameFree(context, staff, name, type)
    const changed = { name, description, permissions, updatedAt: now() }
    await administratorRolesOf(db).updateOne({ _id: type }, { $set: changed }, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: type })
    return shown({ ...row, ...changed })
  })
}

/** @throws NotFoundError, ForbiddenError, ApplicationError for an assigned or built-in role */
export function removeAdministratorRole(
  context: AdministratorsContext,
  actor: Principal,
  type: string,
): Promise<AdministratorRole> {
  const { db, actions, versionedCache } = context
  return versionedCache.change(async (session) => {
    const staff = await findStaff(db, session)
    const row = storedRole(context, staff, type)
    assertHolds(actions, staff, actor, row.permissions)
    const holders = staff.administrators.filter(({ roles }) => roles.includes(type)).length
    if (holders > 0) {
      const message = `The role ${type} has ${holders} administrators`
      throw new ApplicationError(message, {}, { code: 'role_in_use' })
    }
    await administratorRolesOf(db).deleteOne({ _id: type }, { session })
    noteRow(session, 'delete', { type: ROLE_TYPE, documentId: type })
    return shown(row)
  })
}

/** A stored role, not a built-in one. @throws NotFoundError, ApplicationError */
function storedRole(
  { actions }: AdministratorsContext,
  staff: Staff,
  type: string,
): AdministratorRoleRow {
  roleOf(rolesOf(actions, staff), type)
  const row = staff.roles.find(({ _id }) => _id === type)
  if (row !== undefined) return row
  const message = `The role ${type} exists from the start, and stays as it is`
  throw new ApplicationError(message, {}, because(message, 'role.fixed'))
}

function roleOf(roles: readonly AdministratorRole[], type: string): AdministratorRole {
  const role = roles.find((one) => one.type === type)
  if (role === undefined) throw new NotFoundError(`There is no role ${type} of administrators`)
  return role
}

/**
 * Stored permissions (`kept`) may stay after their content-type is deleted.
 * @throws ValidationError for unknown actions, and for locales of a content-type that is not
 * localized
 */
function assertPermissions(
  { actions }: AdministratorsContext,
  permissions: readonly Permission[],
  kept: readonly Permission[],
  isLocalized: IsLocalized,
): void {
  const faults = permissions.flatMap(({ action, locales }, index) => {
    const path = ['permissions', String(index)]
    if (!actions.has(action)) {
      if (kept.some((one) => one.action === action)) return []
      return [fault([...path, 'action'], `there is no action ${action}`, action)]
    }
    const uid = action.slice(0, action.lastIndexOf('.'))
    if (locales === undefined || isLocalized(uid)) return []
    return [fault([...path, 'locales'], `${uid} has no locales`, locales)]
  })
  const [first, ...rest] = faults
  if (first !== undefined) throw validationError([first, ...rest])
}

function assertNameFree(
  { actions }: AdministratorsContext,
  staff: Staff,
  name: string,
  type: string,
): void {
  const holder = rolesOf(actions, staff).find((role) => role.name === name)
  if (holder !== undefined && holder.type !== type) throw takenError('name', name)
}

function shown({ _id, name, description, permissions }: AdministratorRoleRow): AdministratorRole {
  return { type: _id, name, description, permissions, builtIn: false }
}
