/** The claims of a provider about a person. */
export type Claims = Readonly<Record<string, unknown>>

/** The role of everyone with this value in the claim; `*` matches everybody. */
export interface RoleRule {
  readonly value: string
  readonly role: string
}

/**
 * The roles that claims make. The claim is a text or a list of texts, under its name or, as in `realm_access.roles`, a
 * path; whatever else it is makes no role.
 */
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
