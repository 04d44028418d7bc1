import type { Json } from '../../api/declarations.ts'
import { readAt, writeAt } from './draft.ts'
import { COMMON_OPTIONS } from './option-table.ts'

const DEFAULTS: Readonly<Record<string, Json>> = {
  relation: { relation: 'manyToOne' },
  dynamiczone: { components: [] },
}

/**
 * The options of an attribute after a change of its type. It keeps its older names, so that it keeps its values, and
 * its words for editors. Names of values are kept for enumerations only.
 */
export function retyped(options: Json, type: string): Json {
  const kept = Object.entries(options).filter(([key]) => COMMON_OPTIONS.includes(key))
  const next: Json = { type, ...DEFAULTS[type], ...Object.fromEntries(kept) }
  return type === 'enumeration' ? next : withoutValues(next)
}

function withoutValues(options: Json): Json {
  const older = [options['from'] ?? []].flat().filter((one) => typeof one === 'string')
  const from = older.length > 1 ? older : older[0]
  const hasWords = readAt(options, 'studio', 'values') !== undefined
  const plain = 'from' in options ? writeAt(options, ['from'], from) : options
  return hasWords ? writeAt(plain, ['studio', 'values'], undefined) : plain
}
