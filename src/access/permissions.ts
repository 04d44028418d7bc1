import { ForbiddenError, UnauthorizedError } from '../errors.ts'
import type { Principal } from './principal.ts'

export function may(principal: Principal, action: string): boolean {
  return principal.grants.has(action)
}

/** @throws ForbiddenError, the same whether or not what was asked for exists. */
export function assertMay(principal: Principal, action: string): void {
  if (!may(principal, action)) throw new ForbiddenError('Forbidden')
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
