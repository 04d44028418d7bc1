import { SCALAR_KINDS, type ScalarKind } from '../schema/attribute-kinds.ts'
import type { Data } from '../schema/definition.ts'
import type { AttributeHolder } from '../schema/plan.ts'
import type { FieldSelection } from '../query/query.ts'

/** What an answer shows of a version. */
export type Entry = Data

interface ShownMember {
  readonly name: string
  readonly toJson: ScalarKind['toJson']
}

/** Per content-type: what an entry shows by itself, in order. */
const shapes = new WeakMap<AttributeHolder, ReadonlyMap<string, ShownMember>>()

/**
 * A stored version as an answer shows it: `id` and `documentId`, then the members asked for in the order
 * asked, or all that are not private in declared order. What is not stored yet is null.
 */
export function toEntry(version: Data, holder: AttributeHolder, fields: FieldSelection): Entry {
  const shape = shapeOf(holder)
  const entry: Entry = {}
  if (fields === 'all') {
    for (const { name, toJson } of shape.values()) entry[name] = toJson(version[name] ?? null)
    return entry
  }
  for (const name of ['id', 'documentId', ...fields]) {
    const member = shape.get(name)
    if (member !== undefined) entry[name] = member.toJson(version[name] ?? null)
  }
  return entry
}

function shapeOf(holder: AttributeHolder): ReadonlyMap<string, ShownMember> {
  const known = shapes.get(holder)
  if (known !== undefined) return known
  const shape = new Map<string, ShownMember>()
  for (const member of holder.members.values()) {
    if (member.kind !== 'scalar' || member.private) continue
    shape.set(member.name, { name: member.name, toJson: SCALAR_KINDS[member.type].toJson })
  }
  shapes.set(holder, shape)
  return shape
}
