import type { AttributePlan, ContentTypePlan, RelationPlan } from '../schema/plan.ts'
import type { Filter, QueryRules, RuledType, Status, TypeVisibility } from './query.ts'

/** Sets `target` for the version that a query asks for. */
export function withRuledTargets(rules: QueryRules, status: Status): QueryRules {
  const { readable } = rules
  if (readable === undefined) return rules
  return { ...rules, target: (plan) => readable(plan, { verb: 'find', status }) }
}

export function ruledTarget(plan: ContentTypePlan, { target }: TypeVisibility): RuledType {
  return target === undefined ? { plan, condition: null } : target(plan)
}

export function bothFilters(one: Filter | null, other: Filter | null): Filter | null {
  if (one === null || other === null) return one ?? other
  return { kind: 'all', of: [one, other] }
}

/** Replaces the target of a relation by the plan that the caller may see. */
export function relationTo(relation: RelationPlan, { plan }: RuledType): RelationPlan {
  return plan === relation.target() ? relation : { ...relation, target: () => plan }
}

const restricted = new WeakMap<ContentTypePlan, Map<string, ContentTypePlan>>()

/** Makes all attributes private except `fields`. Members of the system stay visible. */
export function restrictPlan(plan: ContentTypePlan, fields: ReadonlySet<string>): ContentTypePlan {
  const byFields = restricted.get(plan) ?? new Map<string, ContentTypePlan>()
  restricted.set(plan, byFields)
  const key = [...fields].sort().join()
  const known = byFields.get(key)
  if (known !== undefined) return known
  const isShown = (member: AttributePlan): boolean =>
    (member.kind === 'scalar' && member.system) || fields.has(member.aliasOf ?? member.name)
  const hide = (members: ReadonlyMap<string, AttributePlan>) =>
    new Map(
      [...members].map(([name, member]): [string, AttributePlan] => [
        name,
        isShown(member) ? member : { ...member, private: true, isHidden: true },
      ]),
    )
  const seen = { ...plan, attributes: hide(plan.attributes), members: hide(plan.members) }
  byFields.set(key, seen)
  return seen
}
