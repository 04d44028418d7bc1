import type { Claims } from '../../sign-in/oidc-client.ts'

/** `*` matches all users. */
export interface RoleRule {
  readonly value: string
  readonly role: string
}

/** Reads a string or an array of strings, at a name or a path such as `realm_access.roles`. */
export function rolesOfClaims(
  claims: Claims,
  claim: string,
  rules: readonly RoleRule[],
): readonly string[] {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : at(claims, claim.split('.'))
  const values = new Set(Array.isArray(found) ? (found as readonly unknown[]) : [found])
  const held = rules.filter(({ value }) => value === '*' || values.has(value))
  return [...new Set(held.map(({ role }) => role))]
}

function at(from: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return from
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, name)) return undefined
  return at((from as Claims)[name], rest)
}
