import { createHash } from 'node:crypto'
import { once } from '../base/once.ts'
import type { SearchWeights } from './definition.ts'
import { type AttributePlan, isNesting, type SearchPlan, type ShapePlan } from './plan.ts'

export function compileSearch(
  weights: SearchWeights,
  attributes: ReadonlyMap<string, AttributePlan>,
): SearchPlan {
  const named = new Map(Object.entries(weights))
  const shape = once(() => {
    const parts = [...named].map(([name, weight]) => [weight, describe(attributes.get(name), [])])
    return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12)
  })
  return { weights: named, shape }
}

/** Components can contain themselves, so a component that is already open has only its name. */
function describe(attribute: AttributePlan | undefined, open: readonly string[]): unknown {
  if (attribute === undefined) return null
  const { storedName, kind, private: isPrivate, convertedAt } = attribute
  const converted = convertedAt === undefined ? [] : [convertedAt]
  if (isNesting(attribute)) {
    const inner =
      attribute.kind === 'component'
        ? [attribute.component()]
        : [...attribute.components().values()]
    return [storedName, kind, isPrivate, inner.map((one) => describeShape(one, open)), ...converted]
  }
  if (attribute.kind !== 'scalar') return [storedName, kind, isPrivate]
  return [storedName, attribute.type, isPrivate, attribute.searchable, ...converted]
}

function describeShape({ uid, attributes }: ShapePlan, open: readonly string[]): unknown {
  if (open.includes(uid)) return uid
  return [uid, [...attributes.values()].map((one) => describe(one, [...open, uid]))]
}
