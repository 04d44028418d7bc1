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
import { type AdministratorRow, findStaff, type Staff } from './rows.ts'
import type { Database } from '../../mongo/connection/database.ts'

export interface AdministratorRole {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly builtIn: boolean
}

/** Built-in roles first. */
export function rolesOf(actions: Actions, { roles }: Pick<Staff, 'roles'>): AdministratorRole[] {
  const builtIn = BUILT_IN_ROLES.map(({ type, name, description, permits }) => ({
    type,
    name,
    description,
    permissions: actions.all.filter(permits).map((action) => ({ action: action.name })),
    builtIn: true,
  }))
  const made = roles.map(({ _id, name, description, permissions }) => ({
    type: _id,
    name,
    description,
    permissions,
    builtIn: false,
  }))
  return [...builtIn, ...made]
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

/**
 * Changes read the rights in their transaction, so that rights revoked in the meantime do not
 * count. Null means root with all rights.
 */
export function rightsNow(actions: Actions, staff: Staff, actor: Principal): Rights | null {
  if (actor.kind === 'root') return null
  if (actor.kind !== 'administrator') return new Map()
  const row = staff.administrators.find(({ _id }) => _id === actor.id)
  return rightsOf(actions, permissionsOf(actions, staff, row?.roles ?? []))
}

/**
 * Actors can grant or revoke only their own permissions, and change only administrators without
 * further ones.
 * @throws ForbiddenError
 */
export function assertHolds(
  actions: Actions,
  staff: Staff,
  actor: Principal,
  permissions: readonly Permission[],
): void {
  const rights = rightsNow(actions, staff, actor)
  if (rights === null) return
  const known = permissions.filter(({ action }) => actions.has(action))
  const action = firstBeyond(rights, known)
  if (action !== null) throw new ForbiddenError('Forbidden', {}, { action })
}

export function hasAdministrator(rows: readonly Pick<AdministratorRow, 'roles'>[]): boolean {
  return rows.some(({ roles }) => roles.includes(ADMINISTRATOR))
}

export interface KnownStaff extends Staff {
  readonly rights: ReadonlyMap<string, Rights>
}

export async function loadStaff(db: Database, actions: Actions): Promise<KnownStaff> {
  const staff = await findStaff(db)
  const rights = staff.administrators.map(({ _id, roles }): [string, Rights] => [
    _id,
    rightsOf(actions, permissionsOf(actions, staff, roles)),
  ])
  return { ...staff, rights: new Map(rights) }
}

/**
 * @throws ValidationError for unknown roles, ForbiddenError for permissions that the actor does not
 * have
 */
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
  assertHolds(actions, staff, actor, permissionsOf(actions, staff, types))
}

export function assertMayTakeOver(
  { actions }: { readonly actions: Actions },
  staff: Staff,
  actor: Principal,
  { roles }: AdministratorRow,
): void {
  const permissions: readonly Permission[] = permissionsOf(actions, staff, roles)
  assertHolds(actions, staff, actor, permissions)
}

/**
 * `roles` is null for a removal.
 * @throws ApplicationError if no administrator with all permissions would remain
 */
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
