import type { Grants } from '../people/access/principal.ts'
import type { Role } from '../people/access/role-rows.ts'
import { bindRules } from '../people/rules/bound-rules.ts'
import { holdRules } from '../people/rules/held-rules.ts'
import { sampleOperands } from '../people/rules/operands.ts'
import type { Schema } from '../schema/plan.ts'

/** The permissions of a role, with its rules. Descriptions use the attributes of a rule, not its conditions. */
export function describedGrants(
  schema: Schema,
  { type, permissions, rules = [] }: Pick<Role, 'type' | 'permissions' | 'rules'>,
): Grants {
  const granted = new Set(permissions)
  const held = holdRules(schema, { source: `role ${type}`, rules })
  if (held.length === 0) return granted
  const paths = held.flatMap(({ rule }) => rule.operands.paths)
  const bound = bindRules(held, sampleOperands({ user: true, now: true, paths }))
  return { has: (action) => granted.has(action), rules: bound }
}
