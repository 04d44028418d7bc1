import { SCALAR_KINDS } from '../schema/attribute-kinds.ts'
import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../schema/plan.ts'

/** The attributes that all locales of a document have in common; none where a type has no locales. */
function sharedAttributes(plan: ContentTypePlan): readonly ScalarPlan[] {
  if (!plan.localized) return []
  return [...plan.attributes.values()].filter(
    (attribute): attribute is ScalarPlan => attribute.kind === 'scalar' && !attribute.localized,
  )
}

/** Of some values, those that all locales share. */
export function pickShared(plan: ContentTypePlan, values: Data): Data {
  const given = sharedAttributes(plan).filter(({ name }) => values[name] !== undefined)
  return Object.fromEntries(given.map(({ name }) => [name, values[name]]))
}

/** The shared values of a stored version as a payload would give them: a new locale begins with them. */
export function sharedPayload(plan: ContentTypePlan, version: Data): Data {
  return Object.fromEntries(
    sharedAttributes(plan).map(({ name, type }) => [
      name,
      SCALAR_KINDS[type].toJson(version[name] ?? null),
    ]),
  )
}
