import type { TypePlan } from './content-plan.ts'
import { applyChange } from './memory-storage.ts'
import { type Change, makeRowKey, type Row } from './storage.ts'

export interface Tables {
  readonly names: readonly string[]
  /** Returns the names of the changed types. */
  apply(changes: readonly Change[]): ReadonlySet<string>
  replace(rows: readonly Row[]): void
  list(name: string, locale: string): readonly Row[]
  get(name: string, documentId: string, locale: string): Row | undefined
  /** Rows with a link to a document in the attribute `by`. */
  leadingTo(name: string, by: string, documentId: string, locale: string): readonly Row[]
}

export function openTables(types: Readonly<Record<string, TypePlan>>): Tables {
  const plans = Object.entries(types)
  const tables = new Map(plans.map(([name]) => [name, new Map<string, Row>()]))
  /** Reverse links by type and attribute, built on the first use after a change. */
  const sources = new Map<string, ReadonlyMap<string, readonly Row[]>>()

  const tableOf = (name: string): Map<string, Row> => {
    const table = tables.get(name)
    if (table === undefined) throw new Error(`The store does not hold ${name}`)
    return table
  }
  const apply = (changes: readonly Change[]): ReadonlySet<string> => {
    const touched = new Set<string>()
    for (const change of changes) {
      for (const name of namesOf(change, plans)) {
        const table = tableOf(name)
        const before = table.size
        applyChange(table, change)
        if (change.op !== 'sweep' || table.size !== before) touched.add(name)
      }
    }
    if (touched.size > 0) sources.clear()
    return touched
  }
  const leadingTo = (name: string, by: string, documentId: string): readonly Row[] => {
    const key = `${name} ${by}`
    const groups = sources.get(key) ?? groupByTarget(tableOf(name).values(), by)
    sources.set(key, groups)
    return groups.get(documentId) ?? []
  }
  return {
    names: [...tables.keys()],
    apply,
    replace: (rows) => {
      for (const table of tables.values()) table.clear()
      apply(rows.map((row) => ({ op: 'put', row })))
      sources.clear()
    },
    list: (name, locale) => [...tableOf(name).values()].filter((row) => isSeen(row, locale)),
    get: (name, documentId, locale) => {
      const at = { type: types[name]?.name ?? name, documentId }
      const table = tableOf(name)
      return (
        table.get(makeRowKey({ ...at, locale })) ?? table.get(makeRowKey({ ...at, locale: null }))
      )
    },
    leadingTo: (name, by, documentId, locale) =>
      leadingTo(name, by, documentId).filter((row) => isSeen(row, locale)),
  }
}

/** Wraps tables and records the names of the types that are read. */
export function recordReads(tables: Tables, seen: Set<string>): Tables {
  const noted = (name: string): string => {
    seen.add(name)
    return name
  }
  return {
    ...tables,
    list: (name, locale) => tables.list(noted(name), locale),
    get: (name, documentId, locale) => tables.get(noted(name), documentId, locale),
    leadingTo: (name, by, documentId, locale) =>
      tables.leadingTo(noted(name), by, documentId, locale),
  }
}

function isSeen({ locale }: Row, asked: string): boolean {
  return asked === '*' || locale === null || locale === asked
}

/** The types of a change. Empty if the type belongs to an earlier scope, which will be swept. */
function namesOf(
  change: Change,
  plans: readonly (readonly [string, TypePlan])[],
): readonly string[] {
  const type = change.op === 'put' ? change.row.type : change.op === 'sweep' ? null : change.type
  return plans.flatMap(([name, plan]) => (type === null || type === plan.name ? [name] : []))
}

function groupByTarget(rows: Iterable<Row>, by: string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    for (const documentId of listDocumentIds(row.data[by])) {
      const group = groups.get(documentId)
      if (group === undefined) groups.set(documentId, [row])
      else group.push(row)
    }
  }
  return groups
}

/** The documentIds in the value of a relation. */
export function listDocumentIds(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value as readonly string[]
  return typeof value === 'string' ? [value] : []
}
