import type { Data } from '../../schema/definition.ts'
import type { ComponentAttributePlan, ShapePlan } from '../../schema/plan.ts'
import { equalPlaces, listOf, ownMember } from './member-changes.ts'

/**
 * Gives elements of the history, which have no ids, those of stored ones, so that they keep members that are not
 * declared: of an equal element, or of the next one if the lists have the same length.
 */
export function withPlaces(holder: ShapePlan, before: unknown, values: Data): Data {
  const placed: Data = { ...values }
  for (const attribute of holder.attributes.values()) {
    const { name } = attribute
    const value = values[name]
    if (attribute.kind !== 'component' || typeof value !== 'object' || value === null) continue
    const stored = ownMember(before, name)
    placed[name] = attribute.repeatable
      ? placeElements(attribute, listOf(stored), listOf(value) as readonly Data[])
      : withPlaces(attribute.component(), stored, value as Data)
  }
  return placed
}

function placeElements(
  attribute: ComponentAttributePlan,
  before: readonly unknown[],
  after: readonly Data[],
): readonly Data[] {
  const shape = attribute.component()
  const free = new Set(before.keys())
  const takeEqual = equalPlaces(shape, before, free)
  const equal = after.map(takeEqual)
  const rest = before.length === after.length ? [...free] : []
  let next = 0
  return after.map((element, index) => {
    const place = equal[index] ?? rest[next++]
    const within = withPlaces(shape, place === undefined ? undefined : before[place], element)
    return place === undefined ? within : { ...within, id: place + 1 }
  })
}
