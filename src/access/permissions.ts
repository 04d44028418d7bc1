import { ForbiddenError, UnauthorizedError } from '../errors.ts'
import { pluginAction } from './actions.ts'
import type { Principal } from './principal.ts'

export function may(principal: Principal, action: string): boolean {
  return principal.grants.has(action)
}

/** @throws ForbiddenError, the same whether or not what was asked for exists. */
export function assertMay(principal: Principal, action: string): void {
  if (!may(principal, action)) throw new ForbiddenError('Forbidden', {}, { action })
}

/**
 * Whether a principal may be told which action it lacks: programs by their token, and whoever may see what
 * there is to permit. To end users and strangers it is nothing that they could mend.
 */
export function mayKnowActions(principal: Principal): boolean {
  return (
    principal.kind === 'apiToken' ||
    principal.kind === 'root' ||
    may(principal, pluginAction('plugin::users-permissions.permissions', 'getPermissions')) ||
    may(principal, pluginAction('plugin::users-permissions.role', 'findOne'))
  )
}

/**
 * Nobody permits to others what is not permitted to them: else whoever may make roles could do everything.
 * @throws ForbiddenError
 */
export function assertMayPermit(principal: Principal, actions: readonly string[]): void {
  for (const action of actions) assertMay(principal, action)
}

/** Lets through who may use the management API: root alone. @throws UnauthorizedError, ForbiddenError. */
export function assertAdministrator(principal: Principal): void {
  if (principal.kind === 'root') return
  if (principal.kind === 'anonymous') {
    throw new UnauthorizedError('Missing or invalid credentials')
  }
  throw new ForbiddenError('Forbidden')
}
