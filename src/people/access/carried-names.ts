import { carriedCondition, NotCarried } from '../../mongo/rules/carried-condition.ts'
import { sampleOperands } from '../rules/operands.ts'
import type { CompiledRule } from '../rules/compile-rule.ts'
import type { HeldGrants } from '../rules/rule-binder.ts'
import { type ContentVerb, contentAction } from './actions.ts'

const VERBS: readonly ContentVerb[] = ['find', 'sync', 'readDrafts']

/** Stored names of the members that rules compare for devices, by the uid of their type. */
export function carriedNames(
  holders: readonly HeldGrants[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  for (const { grants, rules } of holders) {
    const held = new Set(rules.map(({ rule }) => rule.action))
    for (const { rule } of rules) {
      const { plan, action } = rule
      const sync = contentAction(plan, 'sync')
      if (!VERBS.some((verb) => contentAction(plan, verb) === action)) continue
      if (!held.has(sync) && !grants.has(sync)) continue
      const own = names.get(plan.uid) ?? new Set<string>()
      names.set(plan.uid, own)
      for (const name of namesIn(rule)) own.add(name)
    }
  }
  return names
}

/** Empty for rules that only the database can decide. Their holders cannot sync the type. */
function namesIn(rule: CompiledRule): readonly string[] {
  const filter = rule.bindWhere(sampleOperands(rule.operands))
  if (filter === null) return []
  try {
    return carriedCondition(filter).names
  } catch (error) {
    if (error instanceof NotCarried) return []
    throw error
  }
}
