import type { Actions } from '../access/actions.ts'
import { inputError } from '../access/input.ts'
import { ApplicationError, ForbiddenError } from '../../base/errors.ts'
import type { Principal } from '../access/principal.ts'
import {
  ADMINISTRATOR,
  BUILT_IN_ROLES,
  firstBeyond,
  type Permission,
  type Rights,
  rightsOf,
} from './rights.ts'
import { assertRulesFit, holdRules, type RuleSource } from '../rules/held-rules.ts'
import { fromRuleRow } from '../rules/rename-rule.ts'
import { type HeldGrants, holdGrants } from '../rules/rule-binder.ts'
import { stampsOf } from '../rules/stamps.ts'
import { mayPassOn, type StoredRule } from '../rules/stored-rule.ts'
import { type AdministratorRoleRow, type AdministratorRow, findStaff, type Staff } from './rows.ts'
import { passkeysOf } from './passkeys/passkey-rows.ts'
import type { KnownPasskeys } from './second-factor.ts'
import type { Database } from '../../mongo/connection/database.ts'

export interface AdministratorRole {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly Permission[]
  /** Permissions under conditions. Absent if there are none. */
  readonly rules?: readonly StoredRule[]
  readonly builtIn: boolean
}

export function rolesOf(actions: Actions, { roles }: Pick<Staff, 'roles'>): AdministratorRole[] {
  const builtIn = BUILT_IN_ROLES.map(({ type, name, description, permits }) => ({
    type,
    name,
    description,
    permissions: actions.all.filter(permits).map((action) => ({ action: action.name })),
    builtIn: true,
  }))
  const made = roles.map((row) => toAdministratorRole(actions, row))
  return [...builtIn, ...made]
}

/** A misspelt role would require nothing of anybody. */
export function findUnknownRoles(
  types: readonly string[],
  { roles }: Pick<Staff, 'roles'>,
): readonly string[] {
  const known = new Set([...BUILT_IN_ROLES.map(({ type }) => type), ...roles.map(({ _id }) => _id)])
  return types.filter((type) => !known.has(type))
}

export function toAdministratorRole(
  { schema }: Actions,
  { _id, name, description, permissions, rules = [] }: AdministratorRoleRow,
): AdministratorRole {
  return {
    type: _id,
    name,
    description,
    permissions,
    ...(rules.length > 0 && { rules: rules.map((rule) => fromRuleRow(schema, rule)) }),
    builtIn: false,
  }
}

/** In the order of the roles. */
function rulesOf(
  actions: Actions,
  staff: Pick<Staff, 'roles'>,
  types: readonly string[],
): readonly RuleSource[] {
  return rolesOf(actions, staff)
    .filter(({ type }) => types.includes(type))
    .map(({ type, rules = [] }) => ({ source: `administrator role ${type}`, rules }))
}

/** For the start of a server. @throws SchemaError for stored rules that do not fit the content-types */
export async function assertStoredStaffRules(db: Database, actions: Actions): Promise<void> {
  const staff = await findStaff(db)
  const types = staff.roles.map(({ _id }) => _id)
  assertRulesFit(actions.schema, rulesOf(actions, staff, types))
}

export function permissionsOf(
  actions: Actions,
  staff: Pick<Staff, 'roles'>,
  types: readonly string[],
): readonly Permission[] {
  return rolesOf(actions, staff)
    .filter(({ type }) => types.includes(type))
    .flatMap(({ permissions }) => permissions)
}

/** Changes read the rights in their transaction, so that revoked rights do not count. Null means all rights. */
export function rightsNow(actions: Actions, staff: Staff, actor: Principal): Rights | null {
  if (actor.kind === 'root') return null
  if (actor.kind !== 'administrator') return new Map()
  const row = staff.administrators.find(({ _id }) => _id === actor.id)
  return rightsOf(actions, permissionsOf(actions, staff, row?.roles ?? []))
}

/** Actors can grant, revoke or change only permissions and rules that they have. @throws ForbiddenError */
export function assertHolds(
  actions: Actions,
  staff: Staff,
  actor: Principal,
  permissions: readonly Permission[],
  rules: readonly StoredRule[] = [],
): void {
  const rights = rightsNow(actions, staff, actor)
  if (rights === null) return
  const known = permissions.filter(({ action }) => actions.has(action))
  const beyond = firstBeyond(rights, known)
  const held = rules.length === 0 ? [] : rulesNow(actions, staff, actor)
  const rule = rules
    .filter(({ action }) => actions.has(action) && rights.get(action) !== null)
    .find((one) => !mayPassOn(held, one))
  const action = beyond ?? rule?.action
  if (action !== undefined) throw new ForbiddenError('Forbidden', {}, { action })
}

function rulesNow(actions: Actions, staff: Staff, actor: Principal): readonly StoredRule[] {
  if (actor.kind !== 'administrator') return []
  const row = staff.administrators.find(({ _id }) => _id === actor.id)
  return rulesOf(actions, staff, row?.roles ?? []).flatMap(({ rules }) => rules)
}

export function hasAdministrator(rows: readonly Pick<AdministratorRow, 'roles'>[]): boolean {
  return rows.some(({ roles }) => roles.includes(ADMINISTRATOR))
}

export interface KnownStaff extends Staff, KnownPasskeys {
  readonly rights: ReadonlyMap<string, Rights>
  /** By administrator. Absent for administrators without rules. */
  readonly ruled: ReadonlyMap<string, HeldGrants>
  /** Attributes that rules of administrators set (`stampName`). */
  readonly stamped: ReadonlySet<string>
}

export async function loadStaff(db: Database, actions: Actions): Promise<KnownStaff> {
  const staff = await findStaff(db)
  const rights = staff.administrators.map(({ _id, roles }): [string, Rights] => [
    _id,
    rightsOf(actions, permissionsOf(actions, staff, roles)),
  ])
  const held = staff.administrators.flatMap(({ _id, roles }, index): [string, HeldGrants][] => {
    const rules = rulesOf(actions, staff, roles).flatMap((one) => holdRules(actions.schema, one))
    const grants = rights[index]?.[1]
    return rules.length === 0 || grants === undefined ? [] : [[_id, holdGrants(grants, rules)]]
  })
  const stamped = stampsOf(held.map(([, each]) => each))
  const passkeys = await passkeysOf(db)
    .find({}, { projection: { administrator: 1 } })
    .toArray()
  const withPasskey = new Set(passkeys.map(({ administrator }) => administrator))
  return { ...staff, rights: new Map(rights), ruled: new Map(held), stamped, withPasskey }
}

/** @throws ValidationError for unknown roles, ForbiddenError for permissions that the actor does not have */
export function assertMayGive(
  { actions }: { readonly actions: Actions },
  staff: Staff,
  actor: Principal,
  types: readonly string[],
): void {
  const known = new Set(rolesOf(actions, staff).map(({ type }) => type))
  const unknown = types.find((type) => !known.has(type))
  if (unknown !== undefined) {
    const message = `There is no role ${unknown} of administrators`
    throw inputError('roles', message, unknown, { code: 'any.unknown' })
  }
  const rules = rulesOf(actions, staff, types).flatMap((one) => one.rules)
  assertHolds(actions, staff, actor, permissionsOf(actions, staff, types), rules)
}

export function assertMayTakeOver(
  { actions }: { readonly actions: Actions },
  staff: Staff,
  actor: Principal,
  { roles }: AdministratorRow,
): void {
  const permissions: readonly Permission[] = permissionsOf(actions, staff, roles)
  const rules = rulesOf(actions, staff, roles).flatMap((one) => one.rules)
  assertHolds(actions, staff, actor, permissions, rules)
}

/** `roles` is null for a removal. @throws ApplicationError if no administrator with all permissions would remain */
export function assertOneStays(
  { administrators }: Staff,
  { _id }: AdministratorRow,
  roles: readonly string[] | null,
): void {
  const others = administrators.filter((row) => row._id !== _id)
  const after = roles === null ? others : [...others, { roles }]
  if (hasAdministrator(after) || !hasAdministrator(administrators)) return
  throw new ApplicationError(
    'The last administrator cannot be removed',
    {},
    { code: 'last_administrator' },
  )
}

export function assertEmailFree(
  { administrators }: Staff,
  email: string,
  except: string | null,
): void {
  const holder = administrators.find((row) => row.email === email && row._id !== except)
  if (holder === undefined) return
  throw inputError('email', 'This attribute must be unique', email, { code: 'any.unique' })
}
