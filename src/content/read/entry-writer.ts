import { compileVersionText, type WriteVersion } from '../../mongo/versions/version-text.ts'
import type { FieldSelection } from '../../query/query.ts'
import type { ShapePlan } from '../../schema/plan.ts'
import { shownShape } from './row.ts'

const MAX_CACHED_WRITERS = 50

/** No selection of attributes has this key. */
const ALL = ' '

const writersOf = new WeakMap<ShapePlan, Map<string, WriteVersion>>()

/** Same output as the JSON of `toEntry`, for fields without computed attributes. */
export function entryWriter(holder: ShapePlan, fields: FieldSelection): WriteVersion {
  const writers = writersOf.get(holder) ?? new Map<string, WriteVersion>()
  writersOf.set(holder, writers)
  const key = fields === 'all' ? ALL : fields.join()
  const known = writers.get(key)
  if (known !== undefined) return known
  const made = compileVersionText(writtenMembers(holder, fields))
  if (writers.size < MAX_CACHED_WRITERS) writers.set(key, made)
  return made
}

function writtenMembers(holder: ShapePlan, fields: FieldSelection) {
  const { all, plain } = shownShape(holder)
  if (fields === 'all') return plain
  const names = new Set(['id', 'documentId', ...fields])
  return [...names].flatMap((name) => all.get(name) ?? [])
}
