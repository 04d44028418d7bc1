import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ContentTypePlan, RelationPlan, ShapePlan } from '../../schema/plan.ts'
import { type Key, parseKey } from './bulk-line.ts'

export type ResolveKey = (target: ContentTypePlan, key: Key) => string

/** Such as `{ "author": { "key": { "email": "…" } } }`, at any depth. */
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

export type NamedTarget = { readonly documentId: string } | { readonly key: Key }

export type IsDropped = (target: ContentTypePlan, named: NamedTarget) => boolean

/** A relation without remaining targets is omitted. */
export function dropTargets(holder: ShapePlan, data: Data, isDropped: IsDropped): Data {
  return mapRelations(holder, data, (relation, value, path) =>
    dropInRelation(value, (sent, at) => {
      const named = parseTarget(relation.target(), sent, [...path, ...at])
      return named !== null && isDropped(relation.target(), named)
    }),
  )
}

type IsItemDropped = (sent: unknown, at: readonly string[]) => boolean

function dropInRelation(value: unknown, isItemDropped: IsItemDropped): unknown {
  if (!isData(value) || !('set' in value || 'connect' in value)) {
    return keptOf(value, [], isItemDropped)
  }
  const kept = ['set', 'connect'].flatMap((action): [string, unknown][] =>
    action in value ? [[action, keptOf(value[action], [action], isItemDropped)]] : [],
  )
  const given = kept.filter(([, targets]) => targets !== undefined)
  return given.length === 0 ? undefined : { ...value, ...Object.fromEntries(given) }
}

function keptOf(value: unknown, at: readonly string[], isItemDropped: IsItemDropped): unknown {
  if (!Array.isArray(value)) return isItemDropped(value, at) ? undefined : value
  const list = value as readonly unknown[]
  const kept = list.filter((item, index) => !isItemDropped(item, [...at, String(index)]))
  return kept.length === 0 && list.length > 0 ? undefined : kept
}

function parseTarget(
  target: ContentTypePlan,
  sent: unknown,
  path: readonly string[],
): NamedTarget | null {
  if (typeof sent === 'string') return /^\d*$/.test(sent) ? null : { documentId: sent }
  if (!isData(sent)) return null
  const { documentId, key, id } = sent
  if (typeof documentId === 'string') return { documentId }
  if (key === undefined || id !== undefined) return null
  return { key: parseKey(target, key, [...path, 'key']) }
}

type MapRelation = (relation: RelationPlan, value: unknown, path: readonly string[]) => unknown

function mapRelations(
  holder: ShapePlan,
  data: Data,
  map: MapRelation,
  path: readonly string[] = [],
): Data {
  const mapped = Object.entries(data).map(([name, value]): [string, unknown] => {
    const attribute = holder.attributes.get(name)
    if (attribute === undefined || value === null) return [name, value]
    return [name, mapValue(attribute, value, map, [...path, name])]
  })
  if (mapped.every(([name, value]) => value === data[name])) return data
  return Object.fromEntries(mapped.filter(([, value]) => value !== undefined))
}

function mapValue(
  attribute: AttributePlan,
  value: unknown,
  map: MapRelation,
  path: readonly string[],
): unknown {
  switch (attribute.kind) {
    case 'scalar':
    case 'media':
      return value
    case 'relation':
      return map(attribute, value, path)
    case 'component':
      return mapObjects(value, path, (element, at) =>
        mapRelations(attribute.component(), element, map, at),
      )
    case 'dynamiczone':
      return mapObjects(value, path, (element, at) => {
        const component = attribute.components().get(String(element['__component']))
        return component === undefined ? element : mapRelations(component, element, map, at)
      })
  }
}

function mapObjects(
  value: unknown,
  path: readonly string[],
  map: (item: Data, path: readonly string[]) => Data,
): unknown {
  const one = (item: unknown, at: readonly string[]): unknown =>
    isData(item) ? map(item, at) : item
  if (!Array.isArray(value)) return one(value, path)
  const list = value as readonly unknown[]
  const mapped = list.map((item, index) => one(item, [...path, String(index)]))
  return mapped.every((item, index) => item === list[index]) ? value : mapped
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
