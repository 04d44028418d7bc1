import type { TypePlan } from './content-plan.ts'
import { applyChange } from './memory-storage.ts'
import { type Change, makeRowKey, type Row, type Tables } from './storage.ts'

export function openTables(types: Readonly<Record<string, TypePlan>>): Tables {
  const plans = Object.entries(types)
  const tables = new Map(plans.map(([name]) => [name, new Map<string, Row>()]))
  const tableOf = (name: string): Map<string, Row> => {
    const table = tables.get(name)
    if (table === undefined) throw new Error(`The store does not hold ${name}`)
    return table
  }
  const covers = openCovers(tableOf)
  const { shown, rowsOf } = covers
  const sources = openSources(rowsOf)
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
  return {
    names: [...tables.keys()],
    apply,
    replace: (rows) => {
      for (const table of tables.values()) table.clear()
      apply(rows.map((row) => ({ op: 'put', row })))
      sources.clear()
    },
    list: (name, locale) => [...rowsOf(name)].filter((row) => isSeen(row, locale)),
    localesOf: (name, documentId) => rowsOfDocument(rowsOf(name), documentId),
    get: (name, documentId, locale) =>
      getInLocale((key) => shown(name, key), {
        type: types[name]?.name ?? name,
        documentId,
        locale,
      }),
    shown,
    confirmed: (name, key) => tableOf(name).get(key),
    cover: (name, key, row) => {
      covers.cover(name, key, row)
      sources.clear()
    },
    leadingTo: (name, by, documentId, locale) =>
      sources.leadingTo(name, by, documentId).filter((row) => isSeen(row, locale)),
  }
}

/** The rows that replace rows of the tables. */
function openCovers(tableOf: (name: string) => ReadonlyMap<string, Row>) {
  const covers = new Map<string, Map<string, Row | null>>()
  return {
    cover: (name: string, key: string, row: Row | null | undefined): void => {
      const cover = covers.get(name) ?? new Map<string, Row | null>()
      if (row === undefined) cover.delete(key)
      else covers.set(name, cover.set(key, row))
    },
    shown: (name: string, key: string): Row | undefined => {
      const covering = covers.get(name)?.get(key)
      return covering === undefined ? tableOf(name).get(key) : (covering ?? undefined)
    },
    rowsOf: (name: string): Iterable<Row> => {
      const cover = covers.get(name)
      const table = tableOf(name)
      return cover === undefined || cover.size === 0 ? table.values() : coveredRows(table, cover)
    },
  }
}

/** New rows come last. */
function* coveredRows(
  table: ReadonlyMap<string, Row>,
  cover: ReadonlyMap<string, Row | null>,
): Iterable<Row> {
  for (const [key, row] of table) {
    const covering = cover.get(key)
    if (covering !== null) yield covering ?? row
  }
  for (const [key, row] of cover) if (row !== null && !table.has(key)) yield row
}

export function recordReads(tables: Tables, seen: Set<string>): Tables {
  const noted = (name: string): string => {
    seen.add(name)
    return name
  }
  const { findPage } = tables
  return {
    ...tables,
    list: (name, locale, filters) => tables.list(noted(name), locale, filters),
    localesOf: (name, documentId) => tables.localesOf(noted(name), documentId),
    ...(findPage && {
      findPage: (name, asked, arrange) => findPage(noted(name), asked, arrange),
    }),
    get: (name, documentId, locale) => tables.get(noted(name), documentId, locale),
    leadingTo: (name, by, documentId, locale) =>
      tables.leadingTo(noted(name), by, documentId, locale),
  }
}

export function isSeen({ locale }: Row, asked: string): boolean {
  return asked === '*' || locale === null || locale === asked
}

function rowsOfDocument(rows: Iterable<Row>, documentId: string): readonly Row[] {
  return [...rows].filter((row) => row.documentId === documentId)
}

/** Rows of types without locales are seen in each. */
export function getInLocale(
  shown: (key: string) => Row | undefined,
  at: Pick<Row, 'type' | 'documentId' | 'locale'>,
): Row | undefined {
  return shown(makeRowKey(at)) ?? shown(makeRowKey({ ...at, locale: null }))
}

/** The types of a change. Empty if the type belongs to an earlier scope, which will be swept. */
export function namesOf(
  change: Change,
  plans: readonly (readonly [string, TypePlan])[],
): readonly string[] {
  const type = change.op === 'put' ? change.row.type : change.op === 'sweep' ? null : change.type
  return plans.flatMap(([name, plan]) => (type === null || type === plan.name ? [name] : []))
}

/** Reverse links by type and attribute, built on the first use after a change. */
function openSources(rowsOf: (name: string) => Iterable<Row>) {
  const sources = new Map<string, ReadonlyMap<string, readonly Row[]>>()
  return {
    clear: () => sources.clear(),
    leadingTo: (name: string, by: string, documentId: string): readonly Row[] => {
      const key = `${name} ${by}`
      const groups = sources.get(key) ?? groupByTarget(rowsOf(name), by)
      sources.set(key, groups)
      return groups.get(documentId) ?? []
    },
  }
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

export function listDocumentIds(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value as readonly string[]
  return typeof value === 'string' ? [value] : []
}
