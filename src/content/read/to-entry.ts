import { SCALAR_KINDS, type ScalarKind } from '../../schema/values/attribute-kinds.ts'
import type { Data, ScalarType } from '../../schema/definition.ts'
import type { ShapePlan } from '../../schema/plan.ts'
import { compileVersionText, type WriteVersion } from '../../mongo/versions/version-text.ts'
import type { FieldSelection } from '../../query/query.ts'

export type Entry = Data

interface ShownMember {
  readonly name: string
  readonly type: ScalarType
  readonly toJson: ScalarKind['toJson']
}

interface Shape {
  readonly plain: readonly ShownMember[]
  readonly all: ReadonlyMap<string, ShownMember>
  readonly write: WriteVersion
  readonly writers: Map<string, WriteVersion>
}

/** Clients usually repeat a few field lists. */
const MAX_CACHED_WRITERS = 50

const shapes = new WeakMap<ShapePlan, Shape>()

/**
 * `id` and `documentId`, then the selected fields in order, or all plain members in declared order.
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

/** Same output as the JSON of `toEntry`. */
export function entryWriter(holder: ShapePlan, fields: FieldSelection): WriteVersion {
  const { all, write, writers } = shapeOf(holder)
  if (fields === 'all') return write
  const key = fields.join()
  const known = writers.get(key)
  if (known !== undefined) return known
  const names = new Set(['id', 'documentId', ...fields])
  const made = compileVersionText([...names].flatMap((name) => all.get(name) ?? []))
  if (writers.size < MAX_CACHED_WRITERS) writers.set(key, made)
  return made
}

function shapeOf(holder: ShapePlan): Shape {
  const known = shapes.get(holder)
  if (known !== undefined) return known
  const plain: ShownMember[] = []
  const all = new Map<string, ShownMember>()
  for (const member of holder.members.values()) {
    if (member.kind !== 'scalar' || member.private) continue
    const { name, type } = member
    const shown = { name, type, toJson: SCALAR_KINDS[type].toJson }
    all.set(name, shown)
    if (!member.onRequest) plain.push(shown)
  }
  const shape = { plain, all, write: compileVersionText(plain), writers: new Map() }
  shapes.set(holder, shape)
  return shape
}
