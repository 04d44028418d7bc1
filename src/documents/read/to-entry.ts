import { SCALAR_KINDS, type ScalarKind } from '../../schema/values/attribute-kinds.ts'
import type { Data } from '../../schema/definition.ts'
import type { ShapePlan } from '../../schema/plan.ts'
import type { FieldSelection } from '../../query/query.ts'

/** What an answer shows of a version. */
export type Entry = Data

interface ShownMember {
  readonly name: string
  readonly toJson: ScalarKind['toJson']
}

interface Shape {
  /** What an entry shows by itself, in order. */
  readonly plain: readonly ShownMember[]
  /** What it can be asked for. */
  readonly all: ReadonlyMap<string, ShownMember>
}

/** Per content-type. */
const shapes = new WeakMap<ShapePlan, Shape>()

/**
 * A stored version as an answer shows it: `id` and `documentId`, then the members asked for in the order
 * asked, or in declared order all that are shown by themselves. What is not stored yet is null.
 */
export function toEntry(version: Data, holder: ShapePlan, fields: FieldSelection): Entry {
  const shape = shapeOf(holder)
  const entry: Entry = {}
  if (fields === 'all') {
    for (const { name, toJson } of shape.plain) entry[name] = toJson(version[name] ?? null)
    return entry
  }
  for (const name of ['id', 'documentId', ...fields]) {
    const member = shape.all.get(name)
    if (member !== undefined) entry[name] = member.toJson(version[name] ?? null)
  }
  return entry
}

function shapeOf(holder: ShapePlan): Shape {
  const known = shapes.get(holder)
  if (known !== undefined) return known
  const plain: ShownMember[] = []
  const all = new Map<string, ShownMember>()
  for (const member of holder.members.values()) {
    if (member.kind !== 'scalar' || member.private) continue
    const shown = { name: member.name, toJson: SCALAR_KINDS[member.type].toJson }
    all.set(member.name, shown)
    if (!member.onRequest) plain.push(shown)
  }
  const shape = { plain, all }
  shapes.set(holder, shape)
  return shape
}
