import type { Fault } from '../../base/errors.ts'
import { validationError } from '../../base/errors.ts'
import { SchemaError } from '../../schema/schema-error.ts'
import type { HeldRule } from './bound-rules.ts'
import { type CompiledRule, compileRule } from './compile-rule.ts'
import { type RuleSchema, typeOfAction } from './rename-rule.ts'
import { sameRule, type StoredRule } from './stored-rule.ts'

export interface RuleSource {
  /** Such as `role editor`. */
  readonly source: string
  readonly rules: readonly StoredRule[]
}

/** Leaves out rules that do not fit the schema, which a process of another release may have stored. */
export function holdRules(schema: RuleSchema, { source, rules }: RuleSource): readonly HeldRule[] {
  return rules.flatMap((one) => {
    const rule = compileRule(schema, one, [])
    return isCompiled(rule) ? [{ source, rule }] : []
  })
}

/** Checks stored rules at the start. Rules of deleted content-types stay, like their permissions. @throws SchemaError */
export function assertRulesFit(schema: RuleSchema, sources: readonly RuleSource[]): void {
  const problems = sources.flatMap(({ source, rules }) =>
    rules
      .filter(({ action }) => schema.contentTypes.has(typeOfAction(action)))
      .flatMap((one) => {
        const rule = compileRule(schema, one, [])
        if (isCompiled(rule)) return []
        return rule.map(
          ({ path, message }) => `${[source, one.action, ...path].join(', ')}: ${message}`,
        )
      }),
  )
  if (problems.length === 0) return
  throw new SchemaError(problems.map((problem) => `stored rule of ${problem}`))
}

/** Unchanged rules are in `kept` and may outlive their content-type or attributes. @throws ValidationError */
export function assertRules(
  schema: RuleSchema,
  rules: readonly StoredRule[],
  kept: readonly StoredRule[] = [],
): void {
  const faults = rules.flatMap((one, index) => {
    if (kept.some((other) => sameRule(one, other))) return []
    const rule = compileRule(schema, one, ['rules', String(index)])
    return isCompiled(rule) ? [] : rule
  })
  const [first, ...rest] = faults
  if (first !== undefined) throw validationError([first, ...rest])
}

function isCompiled(rule: CompiledRule | readonly Fault[]): rule is CompiledRule {
  return !Array.isArray(rule)
}
