import type { Data } from './data.ts'
import type { MapOutput } from './map-output.ts'

/** The position of a document in the read order of `apply`. */
export interface LinePosition {
  readonly type: string
  readonly position: number
}

export interface MappedLine {
  readonly type: string
  readonly documentId: string
  readonly locale?: string
  readonly status?: 'draft' | 'published'
  readonly data: Data
  readonly targets: Readonly<Record<string, readonly string[]>>
}

/** Writes targets before the documents that refer to them. Mutual relations go into a file at the end. */
export function openContentLines(
  output: MapOutput,
  types: readonly string[],
  places: ReadonlyMap<string, LinePosition>,
): (line: MappedLine) => Promise<void> {
  const ranks = new Map(types.map((type, rank) => [type, rank]))
  const isBefore = (target: string, own: LinePosition): boolean => {
    const place = places.get(target)
    if (place === undefined) return false
    if (place.type === own.type) return place.position < own.position
    return (ranks.get(place.type) ?? 0) < (ranks.get(own.type) ?? 0)
  }
  return async ({ data, targets, ...line }) => {
    const own = places.get(line.documentId)
    if (own === undefined) throw new Error(`${line.documentId} has no place`)
    const isLate = (name: string): boolean =>
      (targets[name] ?? []).some((target) => !isBefore(target, own))
    const entries = Object.entries(data)
    const head = { op: 'upsert', ...line }
    const early = Object.fromEntries(entries.filter(([name]) => !isLate(name)))
    await output.line(fileOf(line.type, ranks), { ...head, data: early })
    const late = entries.filter(([name]) => isLate(name))
    if (late.length > 0) await output.line(LAST, { ...head, data: Object.fromEntries(late) })
  }
}

const LAST = '999-relations.ndjson'

function fileOf(type: string, ranks: ReadonlyMap<string, number>): string {
  return `${String((ranks.get(type) ?? 0) + 1).padStart(3, '0')}-${type}.ndjson`
}

export function inOrder(
  types: readonly string[],
  named: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const ordered = new Set<string>()
  const visiting = new Set<string>()
  const visit = (type: string): void => {
    if (visiting.has(type)) return
    visiting.add(type)
    for (const target of named.get(type) ?? []) visit(target)
    ordered.add(type)
  }
  for (const type of types) visit(type)
  return [...ordered].filter((type) => types.includes(type))
}
