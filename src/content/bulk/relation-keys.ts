import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, ShapePlan } from '../../schema/plan.ts'
import { type Key, parseKey } from './bulk-line.ts'
import { isData, mapObjects, mapRelations } from './map-relations.ts'

export type ResolveKey = (target: ContentTypePlan, key: Key) => string

/** Collects all targets that a payload names by keys: `{ "author": { "key": { "email": "…" } } }`, at any depth. */
export function keyedTargets(
  holder: ShapePlan,
  data: Data,
): readonly { readonly plan: ContentTypePlan; readonly key: Key }[] {
  const found: { plan: ContentTypePlan; key: Key }[] = []
  withTargets(holder, data, (plan, key) => {
    found.push({ plan, key })
    return ''
  })
  return found
}

export function withTargets(holder: ShapePlan, data: Data, resolve: ResolveKey): Data {
  return mapRelations(holder, data, (relation, value, path) =>
    resolveInRelation(relation.target(), value, path, resolve),
  )
}

function resolveInRelation(
  target: ContentTypePlan,
  value: unknown,
  path: readonly string[],
  resolve: ResolveKey,
): unknown {
  const one = (sent: Data, at: readonly string[]): Data => mapTarget(target, sent, at, resolve)
  if (!isData(value)) return mapObjects(value, path, one)
  if ('key' in value) return one(value, path)
  let mapped: Data = value
  for (const action of ['set', 'connect', 'disconnect']) {
    if (!(action in value)) continue
    const changed = mapObjects(value[action], [...path, action], one)
    if (changed !== value[action]) mapped = { ...mapped, [action]: changed }
  }
  return mapped
}

function mapTarget(
  target: ContentTypePlan,
  sent: Data,
  path: readonly string[],
  resolve: ResolveKey,
): Data {
  const { key, ...rest } = sent
  if (key === undefined || 'documentId' in rest || 'id' in rest) return sent
  return { ...rest, documentId: resolve(target, parseKey(target, key, [...path, 'key'])) }
}
