import { isRecord } from '../../base/is-record.ts'
import type { ShapePlan } from '../../schema/plan.ts'
import { holderBehind, memberOfStored, type RuleSchema, typeOfAction } from './rename-rule.ts'
import type { StoredRuleRow } from './stored-rule.ts'

type Replace = (operand: unknown) => unknown

/** Replaces a locale in the conditions of a rule. Returns the row itself if they do not name it. */
export function withLocaleCode(
  { contentTypes }: RuleSchema,
  row: StoredRuleRow,
  { from, to }: { readonly from: string; readonly to: string },
): StoredRuleRow {
  if (row.where === undefined) return row
  const replace: Replace = (operand) => {
    if (Array.isArray(operand)) return operand.map(replace)
    if (isRecord(operand)) return mapMembers(operand, (_name, value) => replace(value))
    return operand === from ? to : operand
  }
  const plan = contentTypes.get(typeOfAction(row.action)) ?? null
  const where = JSON.stringify(inCondition(JSON.parse(row.where), plan, replace))
  return where === row.where ? row : { ...row, where }
}

/** @param plan null for a content-type that is not declared */
function inCondition(condition: unknown, plan: ShapePlan | null, replace: Replace): unknown {
  if (Array.isArray(condition)) return condition.map((one) => inCondition(one, plan, replace))
  if (!isRecord(condition)) return condition
  return mapMembers(condition, (name, value) => {
    if (name.startsWith('$')) return inCondition(value, plan, replace)
    return inMember(name, value, plan, replace)
  })
}

function inMember(name: string, value: unknown, plan: ShapePlan | null, replace: Replace): unknown {
  if (plan === null) return name === 'locale' ? replace(value) : inCondition(value, null, replace)
  const member = memberOfStored(plan, name)
  if (member === undefined) return value
  // A component may have an attribute with this name.
  if (name === 'locale' && member.kind === 'scalar' && member.system) return replace(value)
  const behind = holderBehind(member)
  return behind === null ? value : inCondition(value, behind, replace)
}

function mapMembers(
  values: Readonly<Record<string, unknown>>,
  to: (name: string, value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(name, value)]))
}
