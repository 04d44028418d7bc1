import { createHash } from 'node:crypto'
import { CmsError } from '../../base/errors.ts'
import type { Filter } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { CompiledRule } from './compile-rule.ts'
import type { OperandValues } from './operands.ts'

/** A rule with the values of its operands for one principal. */
export interface BoundRule {
  readonly action: string
  /** The role or the API token that has the rule. */
  readonly source: string
  readonly rule: CompiledRule
  /** Null matches every entry. */
  readonly where: Filter | null
  /** Names of attributes. Null permits all. */
  readonly fields: ReadonlySet<string> | null
  readonly set: Data
  /** The values of its operands, for digests. */
  readonly values: readonly unknown[]
}

export interface PermissionRules {
  /** Equal digests mean equal rules with equal operand values. */
  readonly digest: string
  /** Actions with a rule that has operands, also one that is left out. Shared caches may not keep their responses. */
  readonly personal: ReadonlySet<string>
  /** In stored order. Empty if the action is not permitted under a rule. */
  rulesFor(action: string): readonly BoundRule[]
}

export interface HeldRule {
  readonly source: string
  readonly rule: CompiledRule
}

/** Leaves out rules that compare with a user if there is none, and rules whose values do not fit. */
export function bindRules(held: readonly HeldRule[], values: OperandValues): PermissionRules {
  const byAction = new Map<string, BoundRule[]>()
  for (const one of held) {
    const bound = bindRule(one, values)
    if (bound === null) continue
    const before = byAction.get(bound.action)
    if (before === undefined) byAction.set(bound.action, [bound])
    else before.push(bound)
  }
  return {
    digest: digestOf(held, values),
    personal: new Set(
      held
        .filter(({ rule: { operands } }) => operands.user || operands.now)
        .map(({ rule }) => rule.action),
    ),
    rulesFor: (action) => byAction.get(action) ?? NO_RULES,
  }
}

export const NO_RULES: readonly BoundRule[] = Object.freeze([])

function bindRule({ source, rule }: HeldRule, values: OperandValues): BoundRule | null {
  const { action, operands, stored } = rule
  if (operands.user && values.user === null) return null
  if (operands.paths.some(({ text }) => !values.paths.has(text))) return null
  try {
    const where = rule.bindWhere(values)
    const fields = stored.fields === undefined ? null : new Set(stored.fields)
    const used = valuesOf(rule, values)
    return { action, source, rule, where, fields, set: rule.bindSet(values), values: used }
  } catch (error) {
    if (error instanceof CmsError) return null
    throw error
  }
}

function valuesOf({ operands }: CompiledRule, { user, now, paths }: OperandValues): unknown[] {
  return [
    ...(operands.user ? [user] : []),
    ...(operands.now ? [now.getTime()] : []),
    ...operands.paths.map(({ text }) => paths.get(text) ?? null),
  ]
}

function digestOf(held: readonly HeldRule[], { user, now, paths }: OperandValues): string {
  const used = held.map(({ source, rule }) => [source, rule.digest])
  const values = [
    held.some(({ rule }) => rule.operands.user) ? user : null,
    held.some(({ rule }) => rule.operands.now) ? now.getTime() : null,
    [...paths],
  ]
  return createHash('sha256')
    .update(JSON.stringify([used, values]))
    .digest('base64url')
}
