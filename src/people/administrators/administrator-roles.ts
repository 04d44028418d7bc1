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
import { assertRules } from '../rules/held-rules.ts'
import { toRuleRow } from '../rules/rename-rule.ts'
import { rulesInput, type StoredRule } from '../rules/stored-rule.ts'
import type { AdministratorsContext } from './administrators.ts'
import type { Permission } from './rights.ts'
import { administratorRolesOf, type AdministratorRoleRow, findStaff, type Staff } from './rows.ts'
import { type AdministratorRole, assertHolds, rolesOf, toAdministratorRole } from './staff.ts'

const ROLE_TYPE = 'admin::role'

interface RoleInput {
  readonly type: string
  readonly name: string
  readonly description?: string
  readonly permissions?: readonly Permission[]
  readonly rules?: readonly StoredRule[]
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
  rules: rulesInput(actionRule()),
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
  const wanted = readInput(NEW_ROLE, input)
  const { type, name, description = '', permissions = [], rules = [] } = wanted
  const { db, actions, versionedCache, now } = context
  assertRules(actions.schema, rules)
  assertPermissions(context, permissions, [], isLocalized)
  return versionedCache.change(async (session) => {
    const staff = await findStaff(db, session)
    if (rolesOf(actions, staff).some((role) => role.type === type)) throw takenError('type', type)
    assertNameFree(context, staff, name, type)
    assertHolds(actions, staff, actor, permissions, rules)
    const at = now()
    const stored = rules.length > 0 && { rules: rules.map((one) => toRuleRow(actions.schema, one)) }
    const row = {
      _id: type,
      name,
      description,
      permissions,
      ...stored,
      createdAt: at,
      updatedAt: at,
    }
    await administratorRolesOf(db).insertOne(row, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: type })
    return toAdministratorRole(actions, row)
  })
}

/** @throws NotFoundError, ValidationError, ForbiddenError, ApplicationError for a built-in role */
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
    const { rules: held = [] } = toAdministratorRole(actions, row)
    const { rules = held, ...rest } = wanted
    const { name, description, permissions } = { ...row, ...rest }
    assertRules(actions.schema, rules, held)
    assertPermissions(context, permissions, row.permissions, isLocalized)
    assertHolds(actions, staff, actor, [...row.permissions, ...permissions], [...held, ...rules])
    assertNameFree(context, staff, name, type)
    const stored = (rules.length > 0 || row.rules !== undefined) && {
      rules: rules.map((one) => toRuleRow(actions.schema, one)),
    }
    const changed = { name, description, permissions, ...stored, updatedAt: now() }
    await administratorRolesOf(db).updateOne({ _id: type }, { $set: changed }, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: type })
    return toAdministratorRole(actions, { ...row, ...changed })
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
    const { rules } = toAdministratorRole(actions, row)
    assertHolds(actions, staff, actor, row.permissions, rules)
    const holders = staff.administrators.filter(({ roles }) => roles.includes(type)).length
    if (holders > 0) {
      const message = `The role ${type} has ${holders} administrators`
      throw new ApplicationError(message, {}, { code: 'role_in_use' })
    }
    await administratorRolesOf(db).deleteOne({ _id: type }, { session })
    noteRow(session, 'delete', { type: ROLE_TYPE, documentId: type })
    return toAdministratorRole(actions, row)
  })
}

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

/** Permissions in `kept` may outlive their content-type. @throws ValidationError */
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
      const message = `there is no action ${action}`
      return [fault([...path, 'action'], message, action, { code: 'any.unknown' })]
    }
    const uid = action.slice(0, action.lastIndexOf('.'))
    if (locales === undefined || isLocalized(uid)) return []
    const message = `${uid} has no locales`
    return [fault([...path, 'locales'], message, locales, { code: 'role.noLocales' })]
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
