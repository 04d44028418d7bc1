import { ForbiddenError, UnauthorizedError } from '../../base/errors.ts'
import { pluginAction } from './actions.ts'
import type { Principal } from './principal.ts'

export function may(principal: Principal, action: string): boolean {
  return principal.grants.has(action)
}

/** Only administrators can be restricted to locales. */
export function mayIn(principal: Principal, action: string, locales: readonly string[]): boolean {
  if (!may(principal, action)) return false
  const permitted = principal.kind === 'administrator' ? principal.localesOf(action) : null
  return permitted === null || locales.every((code) => permitted.has(code))
}

export function assertMayIn(
  principal: Principal,
  action: string,
  locales: readonly string[],
): void {
  if (!mayIn(principal, action, locales)) throw new ForbiddenError('Forbidden', {}, { action })
}

/** @throws ForbiddenError, whether or not the requested resource exists. */
export function assertMay(principal: Principal, action: string): void {
  if (!may(principal, action)) throw new ForbiddenError('Forbidden', {}, { action })
}

/**
 * Whether errors may name the missing action. End users and anonymous clients could not act on it.
 */
export function mayKnowActions(principal: Principal): boolean {
  return (
    principal.kind === 'apiToken' ||
    principal.kind === 'root' ||
    principal.kind === 'administrator' ||
    may(principal, pluginAction('plugin::users-permissions.permissions', 'getPermissions')) ||
    may(principal, pluginAction('plugin::users-permissions.role', 'findOne'))
  )
}

/** Otherwise the right to create roles would include all rights. @throws ForbiddenError */
export function assertMayPermit(principal: Principal, actions: readonly string[]): void {
  for (const action of actions) {
    assertMay(principal, action)
    const isBound = principal.kind === 'administrator' && principal.localesOf(action) !== null
    if (isBound) throw new ForbiddenError('Forbidden', {}, { action })
  }
}

/**
 * Allows API tokens and root.
 * @throws UnauthorizedError, ForbiddenError
 */
export function assertProgram({ kind }: Principal): void {
  if (kind === 'apiToken' || kind === 'root') return
  if (kind === 'anonymous') throw new UnauthorizedError('Missing or invalid credentials')
  throw new ForbiddenError('Forbidden')
}

/**
 * Allows root and administrators with the action. Null allows every administrator.
 * @throws UnauthorizedError, ForbiddenError
 */
export function assertAdministrator(principal: Principal, action: string | null): void {
  if (principal.kind === 'root') return
  if (principal.kind === 'anonymous') {
    throw new UnauthorizedError('Missing or invalid credentials')
  }
  if (principal.kind !== 'administrator') throw new ForbiddenError('Forbidden')
  if (action !== null) assertMay(principal, action)
}
