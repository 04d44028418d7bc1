import { ForbiddenError, UnauthorizedError } from '../../base/errors.ts'
import { pluginAction } from './actions.ts'
import { type Principal, rulesFor } from './principal.ts'
import { mayPassOn, type StoredRule } from '../rules/stored-rule.ts'

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

/** Whether errors may name the missing action. End users and anonymous clients could not act on it. */
export function mayKnowActions(principal: Principal): boolean {
  return (
    principal.kind === 'apiToken' ||
    principal.kind === 'root' ||
    principal.kind === 'administrator' ||
    may(principal, pluginAction('plugin::users-permissions.permissions', 'getPermissions')) ||
    may(principal, pluginAction('plugin::users-permissions.role', 'findOne'))
  )
}

/**
 * Otherwise the right to create roles would include all rights. A principal that has an action under a rule may
 * grant it with the same rule only. @throws ForbiddenError
 */
export function assertMayPermit(
  principal: Principal,
  actions: readonly string[],
  rules: readonly StoredRule[] = [],
): void {
  const beyond =
    actions.find((action) => !mayEverywhere(principal, action)) ??
    rules.find((rule) => !mayEverywhere(principal, rule.action) && !hasRule(principal, rule))
      ?.action
  if (beyond !== undefined) throw new ForbiddenError('Forbidden', {}, { action: beyond })
}

function mayEverywhere(principal: Principal, action: string): boolean {
  const isBound = principal.kind === 'administrator' && principal.localesOf(action) !== null
  return may(principal, action) && !isBound
}

function hasRule(principal: Principal, rule: StoredRule): boolean {
  const held = rulesFor(principal, rule.action).map((one) => one.rule.stored)
  return mayPassOn(held, rule)
}

/** Allows API tokens and root. @throws UnauthorizedError, ForbiddenError */
export function assertProgram({ kind }: Principal): void {
  if (kind === 'apiToken' || kind === 'root') return
  if (kind === 'anonymous') throw new UnauthorizedError('Missing or invalid credentials')
  throw new ForbiddenError('Forbidden')
}

/** Null allows every administrator. @throws UnauthorizedError, ForbiddenError */
export function assertAdministrator(principal: Principal, action: string | null): void {
  if (principal.kind === 'root') return
  if (principal.kind === 'anonymous') {
    throw new UnauthorizedError('Missing or invalid credentials')
  }
  if (principal.kind !== 'administrator') throw new ForbiddenError('Forbidden')
  if (action !== null) assertMay(principal, action)
}
