import type { Data } from '../../schema/definition.ts'
import type { ShapePlan, AttributePlan, ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import { type Key, parseKey } from './bulk-line.ts'

/** The documentId of a target that is named by a key. */
export type ResolveKey = (target: ContentTypePlan, key: Key) => string

/** What the relations of a payload name by keys: `{ "author": { "key": { "email": "…" } } }`, at any depth. */
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

/** The payload with documentIds in place of keys. @throws ValidationError for what is no key */
export function withTargets(holder: ShapePlan, data: Data, resolve: ResolveKey): Data {
  return mapHolder(holder, data, [], resolve)
}

function mapHolder(
  holder: ShapePlan,
  data: Data,
  path: readonly string[],
  resolve: ResolveKey,
): Data {
  let mapped: Data = data
  for (const [name, value] of Object.entries(data)) {
    const attribute = holder.attributes.get(name)
    if (attribute === undefined || typeof value !== 'object' || value === null) continue
    const changed = mapValue(attribute, value, [...path, name], resolve)
    if (changed !== value) mapped = { ...mapped, [name]: changed }
  }
  return mapped
}

function mapValue(
  attribute: AttributePlan,
  value: unknown,
  path: readonly string[],
  resolve: ResolveKey,
): unknown {
  switch (attribute.kind) {
    case 'scalar':
    case 'media':
      return value
    case 'relation':
      return mapRelation(attribute, value, path, resolve)
    case 'component':
      return mapItems(value, path, (one, at) => mapHolder(attribute.component(), one, at, resolve))
    case 'dynamiczone':
      return mapItems(value, path, (one, at) => {
        const component = attribute.components().get(String(one['__component']))
        return component === undefined ? one : mapHolder(component, one, at, resolve)
      })
  }
}

function mapRelation(
  attribute: RelationPlan,
  value: unknown,
  path: readonly string[],
  resolve: ResolveKey,
): unknown {
  const one = (sent: Data, at: readonly string[]): Data =>
    mapTarget(attribute.target(), sent, at, resolve)
  if (Array.isArray(value)) return mapItems(value, path, one)
  const sent = value as Data
  if ('key' in sent) return one(sent, path)
  let mapped: Data = sent
  for (const action of ['set', 'connect', 'disconnect']) {
    if (typeof sent[action] !== 'object' || sent[action] === null) continue
    const changed = mapItems(sent[action], [...path, action], one)
    if (changed !== sent[action]) mapped = { ...mapped, [action]: changed }
  }
  return mapped
}

/** One that is named in two ways stays as it is, and is refused as what it is. */
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

/** What changes nothing answers what it was given. */
function mapItems(
  value: unknown,
  path: readonly string[],
  map: (item: Data, path: readonly string[]) => Data,
): unknown {
  const one = (item: unknown, at: readonly string[]): unknown =>
    typeof item === 'object' && item !== null && !Array.isArray(item) ? map(item as Data, at) : item
  if (!Array.isArray(value)) return one(value, path)
  const list = value as readonly unknown[]
  const mapped = list.map((item, index) => one(item, [...path, String(index)]))
  return mapped.every((item, index) => item === list[index]) ? value : mapped
}
