import Joi from 'joi'
import type { Data } from '../../schema/definition.ts'

/** A permission under conditions. `where` is a filter whose operands may be `$user`, `$user.<path>` and `$now`. */
export interface StoredRule {
  readonly action: string
  readonly where?: Data
  readonly fields?: readonly string[]
  readonly set?: Data
}

/** Names of attributes are stored names. JSON texts, because `where` has keys that begin with `$`. */
export interface StoredRuleRow {
  readonly action: string
  readonly where?: string
  readonly fields?: readonly string[]
  readonly set?: string
}

const MAX_RULES = 1_000
const MAX_FIELDS = 1_000

/** Rules of one action may repeat it. `compileRule` checks everything that depends on the schema. */
export function rulesInput(action: Joi.StringSchema): Joi.ArraySchema<StoredRule[]> {
  return Joi.array()
    .items(
      Joi.object<StoredRule>({
        action: action.required(),
        where: Joi.object().unknown(true),
        fields: Joi.array().items(Joi.string().max(255)).unique().min(1).max(MAX_FIELDS),
        set: Joi.object().unknown(true).min(1),
      }),
    )
    .max(MAX_RULES)
}

export function sameRule(one: StoredRule, other: StoredRule): boolean {
  return ruleText(one) === ruleText(other)
}

const READ_VERBS: ReadonlySet<string> = new Set(['find', 'findOne', 'readDrafts', 'sync'])

/**
 * Whether a holder of rules may grant or revoke one of them. Rules of one read show the intersection of their
 * `fields`, so a subset of rules with different `fields` can show more than the holder sees.
 */
export function mayPassOn(held: readonly StoredRule[], rule: StoredRule): boolean {
  const ofAction = held.filter(({ action }) => action === rule.action)
  if (!ofAction.some((one) => sameRule(one, rule))) return false
  const verb = rule.action.slice(rule.action.lastIndexOf('.') + 1)
  return !READ_VERBS.has(verb) || ofAction.every((one) => sameFields(one, rule))
}

function sameFields({ fields: one }: StoredRule, { fields: other }: StoredRule): boolean {
  if (one === undefined || other === undefined) return one === other
  const names = new Set(other)
  return new Set(one).size === names.size && one.every((name) => names.has(name))
}

/** The rules that a change adds or removes. */
export function differingRules(
  before: readonly StoredRule[],
  after: readonly StoredRule[],
): readonly StoredRule[] {
  const isIn = (rules: readonly StoredRule[], one: StoredRule): boolean =>
    rules.some((other) => sameRule(one, other))
  return [
    ...after.filter((one) => !isIn(before, one)),
    ...before.filter((one) => !isIn(after, one)),
  ]
}

export function ruleText({ action, where, fields, set }: StoredRule): string {
  return JSON.stringify([action, where ?? null, fields ?? null, set ?? null], inKeyOrder)
}

function inKeyOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)),
  )
}
