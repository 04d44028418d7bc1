import type { Data } from '../../schema/definition.ts'
import type { ShapePlan, AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { type Key, parseKey } from './bulk-line.ts'

/** How a relation of a payload names a document. */
export type NamedTarget = { readonly documentId: string } | { readonly key: Key }

/** Whether a target is to be left out. */
export type IsDropped = (target: ContentTypePlan, named: NamedTarget) => boolean

/**
 * A payload without some of the targets that its relations name by documentIds or keys, at any depth. Of a relation
 * without any left nothing is given. @throws ValidationError for what is no key
 */
export function dropTargets(holder: ShapePlan, data: Data, isDropped: IsDropped): Data {
  return dropInHolder(holder, data, [], isDropped)
}

function dropInHolder(
  holder: ShapePlan,
  data: Data,
  path: readonly string[],
  isDropped: IsDropped,
): Data {
  const entries = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    const attribute = holder.attributes.get(name)
    if (attribute === undefined || value === null) return [[name, value]]
    const kept = dropInValue(attribute, value, [...path, name], isDropped)
    return kept === undefined ? [] : [[name, kept]]
  })
  return Object.fromEntries(entries)
}

/** Undefined for a relation of which nothing is left. */
function dropInValue(
  attribute: AttributePlan,
  value: unknown,
  path: readonly string[],
  isDropped: IsDropped,
): unknown {
  switch (attribute.kind) {
    case 'scalar':
    case 'media':
      return value
    case 'relation':
      return dropInRelation(value, (sent, at) => {
        const named = nameOf(attribute.target(), sent, [...path, ...at])
        return named !== null && isDropped(attribute.target(), named)
      })
    case 'component':
      return mapElements(value, path, (element, at) =>
        dropInHolder(attribute.component(), element, at, isDropped),
      )
    case 'dynamiczone':
      return mapElements(value, path, (element, at) => {
        const component = attribute.components().get(String(element['__component']))
        return component === undefined ? element : dropInHolder(component, element, at, isDropped)
      })
  }
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

/** Null for a numeric id, and for what names nothing. */
function nameOf(
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

function mapElements(
  value: unknown,
  path: readonly string[],
  map: (element: Data, at: readonly string[]) => Data,
): unknown {
  const one = (element: unknown, at: readonly string[]): unknown =>
    isData(element) ? map(element, at) : element
  if (!Array.isArray(value)) return one(value, path)
  const list = value as readonly unknown[]
  return list.map((element, index) => one(element, [...path, String(index)]))
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
