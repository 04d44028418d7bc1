import type { Uid } from '../../schema/definition.ts'
import { type ContentTypePlan, isNesting, type ShapePlan } from '../../schema/plan.ts'
import type { Conversions } from '../versions/convert-row.ts'

/** The stored names of a content-type with converted values, also in components. */
export function reachedNames(plan: ContentTypePlan, conversions: Conversions): readonly string[] {
  const own = (conversions.get(plan.uid) ?? []).map(({ stored }) => stored)
  const nested = [...plan.attributes.values()].filter(
    (attribute) =>
      isNesting(attribute) &&
      componentsOf(attribute).some((one) => isReached(one, conversions, new Set())),
  )
  return [...new Set([...own, ...nested.map(({ storedName }) => storedName)])]
}

function isReached(plan: ShapePlan, conversions: Conversions, seen: Set<Uid>): boolean {
  if (conversions.has(plan.uid)) return true
  if (seen.has(plan.uid)) return false
  seen.add(plan.uid)
  return [...plan.attributes.values()].some(
    (attribute) =>
      isNesting(attribute) &&
      componentsOf(attribute).some((one) => isReached(one, conversions, seen)),
  )
}

function componentsOf(attribute: Parameters<typeof isNesting>[0]): readonly ShapePlan[] {
  if (attribute.kind === 'component') return [attribute.component()]
  return attribute.kind === 'dynamiczone' ? [...attribute.components().values()] : []
}
