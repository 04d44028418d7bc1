import { bothFilters, restrictPlan } from '../../query/ruled-type.ts'
import type { Filter, QueryRules, ReadableAs, RuledType } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { BoundRule } from '../rules/bound-rules.ts'
import { type ContentVerb, contentAction } from './actions.ts'
import { assertMay, mayIn } from './permissions.ts'
import { type Principal, rulesFor } from './principal.ts'

/** Whether the principal has the action, under a rule or not. The caller must apply the rule. */
export function mayUnderRule(principal: Pick<Principal, 'grants'>, action: string): boolean {
  return principal.grants.has(action) || rulesFor(principal, action).length > 0
}

/** For doors that apply the rules of the action. @throws ForbiddenError */
export function assertMayUnderRule(principal: Principal, action: string): void {
  if (!mayUnderRule(principal, action)) assertMay(principal, action)
}

/** Like `mayIn`, but also true under a rule, which the caller must apply. Rules have no locales. */
export function mayInUnderRule(
  principal: Principal,
  action: string,
  locales: readonly string[],
): boolean {
  return mayIn(principal, action, locales) || rulesFor(principal, action).length > 0
}

/** Turns a type into the part of it that the principal sees. Undefined without any rule. */
export function ruledReads(principal: Principal): QueryRules['readable'] {
  if (principal.grants.rules === undefined) return undefined
  return (plan, as) => readableType(principal, plan, as)
}

function readableType(
  principal: Principal,
  plan: ContentTypePlan,
  { verb, status }: ReadableAs,
): RuledType {
  const read = rulesFor(principal, contentAction(plan, verb))
  const drafts = status === 'draft' && plan.draftAndPublish ? draftRules(principal, plan) : []
  if (read.length + drafts.length === 0) return { plan, condition: null }
  const fields = sharedFields([...read, ...drafts])
  const where = bothFilters(anyWhere(read), anyWhere(drafts))
  return {
    plan: fields === null ? plan : restrictPlan(plan, fields),
    condition: where === null ? null : { kind: 'all', of: [where], isRule: true },
  }
}

/** The attributes that lists or single entries of the type show. Null if the rules hide none. */
export function shownAttributes(
  principal: Pick<Principal, 'grants'>,
  plan: ContentTypePlan,
): ReadonlySet<string> | null {
  const shown = (['find', 'findOne'] as const)
    .map((verb) => contentAction(plan, verb))
    .filter((action) => mayUnderRule(principal, action))
    .map((action) => sharedFields(rulesFor(principal, action)))
  const names = shown.flatMap((fields) => [...(fields ?? [])])
  return shown.length === 0 || shown.includes(null) ? null : new Set(names)
}

/** The attributes that the principal can give in some of the writes. Null if rules refuse none. */
export function givenAttributesOf(
  principal: Pick<Principal, 'grants'>,
  plan: ContentTypePlan,
  verbs: readonly ('create' | 'update')[] = ['create', 'update'],
): ReadonlySet<string> | null {
  const actions = verbs.map((verb) => contentAction(plan, verb))
  const rules = actions.flatMap((action) => rulesFor(principal, action))
  if (rules.length === 0 || actions.some((action) => principal.grants.has(action))) return null
  const names = [...plan.attributes.keys()]
  return new Set(
    rules.flatMap(({ fields, set }) =>
      names.filter((name) => !Object.hasOwn(set, name) && (fields?.has(name) ?? true)),
    ),
  )
}

function draftRules(principal: Principal, plan: ContentTypePlan): readonly BoundRule[] {
  const verb: ContentVerb = 'readDrafts'
  return rulesFor(principal, contentAction(plan, verb))
}

/** Null if one of the rules matches every entry, or if there is none. */
export function anyWhere(rules: readonly BoundRule[]): Filter | null {
  const of = rules.flatMap(({ where }) => where ?? [])
  if (of.length < rules.length || of.length === 0) return null
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { kind: 'any', of }
}

/** The intersection, so that the visible attributes never depend on the row. */
export function sharedFields(rules: readonly BoundRule[]): ReadonlySet<string> | null {
  return rules.reduce<ReadonlySet<string> | null>((shared, { fields }) => {
    if (shared === null || fields === null) return shared ?? fields
    return new Set([...shared].filter((name) => fields.has(name)))
  }, null)
}
