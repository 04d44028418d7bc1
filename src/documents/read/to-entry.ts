import { SCALAR_KINDS, type ScalarKind } from '../../schema/values/attribute-kinds.ts'
import type { Data, ScalarType } from '../../schema/definition.ts'
import type { ShapePlan } from '../../schema/plan.ts'
import { compileVersionText, type WriteVersion } from '../../mongo/versions/version-text.ts'
import type { FieldSelection } from '../../query/query.ts'

/** What an answer shows of a version. */
export type Entry = Data

interface ShownMember {
  readonly name: string
  readonly type: ScalarType
  readonly toJson: ScalarKind['toJson']
}

/** Per content-type. */
interface Shape {
  /** What an entry shows by itself, in order. */
  readonly plain: readonly ShownMember[]
  /** What it can be asked for. */
  readonly all: ReadonlyMap<string, ShownMember>
  /** Writes what an entry shows by itself. */
  readonly write: WriteVersion
  /** Writes some members, by their names. */
  readonly writers: Map<string, WriteVersion>
}

/** Clients ask for the same few again and again. */
const MOST_WRITERS = 50

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

/** Writes stored versions as the JSON text of what `toEntry` makes of them. */
export function entryWriter(holder: ShapePlan, fields: FieldSelection): WriteVersion {
  const { all, write, writers } = shapeOf(holder)
  if (fields === 'all') return write
  const key = fields.join()
  const known = writers.get(key)
  if (known !== undefined) return known
  const names = new Set(['id', 'documentId', ...fields])
  const made = compileVersionText([...names].flatMap((name) => all.get(name) ?? []))
  if (writers.size < MOST_WRITERS) writers.set(key, made)
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
