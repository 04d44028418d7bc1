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
  const free = new Set(now.filter((value) => !values.includes(value)))
  const gone = new Map<string, string | null | undefined>()
  for (const older of values.filter((value) => !now.includes(value))) {
    const chosen = Object.hasOwn(chosenNames, older) ? chosenNames[older] : undefined
    const isTaken = typeof chosen === 'string' && !free.delete(chosen)
    gone.set(older, isTaken ? undefined : chosen)
  }
  const lines = linesBetween(now, values, (value) => free.has(value))
  const open = linesBetween(values, now, (older) => gone.get(older) === undefined)
  for (const [place, olders] of open) {
    const newer = lines.get(place) ?? []
    // Which of several lines was removed is unknown.
    if (newer.length < olders.length) continue
    for (const [index, older] of olders.entries()) gone.set(older, newer[index])
  }
  return Object.fromEntries([...gone].map(([older, newer]) => [older, newer ?? null]))
}

/** The lines to pair, by the two lines around them that both lists have. */
function linesBetween(
  lines: readonly string[],
  others: readonly string[],
  isPaired: (line: string) => boolean,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  let before = ''
  let between: readonly string[] = []
  for (const line of [...new Set(lines), '']) {
    if (line === '' || others.includes(line)) {
      found.set(JSON.stringify([before, line]), between)
      before = line
      between = []
    } else if (isPaired(line)) between = [...between, line]
  }
  return found
}

/**
 * The options with the renames in `from`, without the older names of removed values. The default and
 * the labels of values follow.
 */
export function withValueRenames(attribute: DraftAttribute): Json {
  const { options, values } = attribute
  const renamed = Object.entries(renamesOf(attribute)).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  )
  const names = new Map(renamed)
  const now = (value: string): string => names.get(value) ?? value
  const kept = new Set(enumValues(options['enum']))
  const older = [options['from'] ?? []].flat()
  const before = older.flatMap((one) => (isMap(one) ? Object.entries(one) : []))
  const pairs = [...before, ...renamed]
    .map(([name, value]) => [name, now(value)] as const)
    .filter(([name, value]) => name !== value && kept.has(value) && !kept.has(name))
  if (renamed.length === 0 && pairs.length === before.length) return options
  const map = pairs.length === 0 ? [] : [Object.fromEntries(pairs)]
  const [first, ...others] = [...older.filter((one) => !isMap(one)), ...map]
  const given = options['default']
  const texts = readAt(options, ...TEXTS)
  return [
    [['from'], others.length === 0 ? first : [first, ...others]] as const,
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
