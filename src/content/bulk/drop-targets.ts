import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, ShapePlan } from '../../schema/plan.ts'
import { type Key, parseKey } from './bulk-line.ts'
import { isData, mapRelations } from './map-relations.ts'

export type NamedTarget = { readonly documentId: string } | { readonly key: Key }

export type IsDropped = (target: ContentTypePlan, named: NamedTarget) => boolean

/** Removes dropped targets from relations, at any depth. A relation without remaining targets is omitted. */
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
