import type { Json } from '../../api/declarations.ts'
import { type DraftAttribute, readAt, writeAt } from './draft.ts'

/** The new name of each value of the file; null for a removed value. */
export type ValueRenames = Readonly<Record<string, string | null>>

/** The lines of an enumeration that are values. */
export function enumValues(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.map((line) => String(line).trim()).filter((line) => line !== '')
}

/**
 * The values of the file that the draft no longer has. Each one becomes the new value that was chosen
 * for it, or else the new value in its line.
 */
export function renamesOf({ options, values, chosenNames }: DraftAttribute): ValueRenames {
  if (options['type'] !== 'enumeration') return {}
  const now = enumValues(options['enum'])
  const gone = values.filter((value) => !now.includes(value))
  const free = new Set(now.filter((value) => !values.includes(value)))
  const renames: Record<string, string | null> = {}
  const take = (older: string, newer: string | null | undefined): void => {
    if (newer === undefined || (newer !== null && !free.delete(newer))) return
    renames[older] = newer
  }
  for (const older of gone) take(older, chosenNames[older])
  const open = gone.filter((older) => renames[older] === undefined)
  for (const older of open) take(older, now[values.indexOf(older)])
  const [last, ...others] = gone.filter((older) => renames[older] === undefined)
  const [only, ...more] = free
  if (last !== undefined && others.length + more.length === 0) take(last, only)
  return Object.fromEntries(gone.map((older) => [older, renames[older] ?? null]))
}

/** The options with the renames in `from`. The default and the labels of values follow. */
export function withValueRenames(attribute: DraftAttribute): Json {
  const { options, values } = attribute
  const renamed = Object.entries(renamesOf(attribute)).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  )
  if (renamed.length === 0) return options
  const names = new Map(renamed)
  const now = (value: string): string => names.get(value) ?? value
  const kept = new Set(enumValues(options['enum']))
  const older = [options['from'] ?? []].flat()
  const pairs = [...older.flatMap((one) => (isMap(one) ? Object.entries(one) : [])), ...renamed]
    .map(([before, after]) => [before, now(after)] as const)
    .filter(([before, after]) => before !== after && kept.has(after) && !kept.has(before))
  const from = [...older.filter((one) => !isMap(one)), Object.fromEntries(pairs)]
  const given = options['default']
  const texts = readAt(options, ...TEXTS)
  return [
    [['from'], from.length === 1 ? from[0] : from] as const,
    ...(typeof given === 'string' && values.includes(given)
      ? [[['default'], now(given)] as const]
      : []),
    ...(isMap(texts)
      ? [
          [
            TEXTS,
            Object.fromEntries(Object.entries(texts).map(([value, text]) => [now(value), text])),
          ] as const,
        ]
      : []),
  ].reduce((all, [path, value]) => writeAt(all, path, value), options)
}

const TEXTS = ['studio', 'values'] as const

function isMap(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
