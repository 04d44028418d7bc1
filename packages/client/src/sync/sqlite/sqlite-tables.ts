import type { TypePlan } from '../content-plan.ts'
import type { Change, Row, PageRequest, Tables } from '../storage.ts'
import { getInLocale, isSeen, listDocumentIds, namesOf } from '../tables.ts'
import {
  columnOf,
  ownColumn,
  type SqlColumn,
  type SqlCondition,
  toSqlCondition,
  UNKNOWN,
} from './sql-condition.ts'
import type { SqlValue, SyncSqlDatabase } from './sql-database.ts'
import { SqliteColumns, tableOf } from './sqlite-columns.ts'
import { openSqliteRows, type SqliteRows, uncovered, type Where } from './sqlite-rows.ts'

/** Rows stay in the database. The changes of the user, which cover them, are in memory. */
export function openSqliteTables(
  database: SyncSqlDatabase,
  types: Readonly<Record<string, TypePlan>>,
): Tables {
  const columns = new SqliteColumns(database)
  const rows = openSqliteRows(database)
  const named = Object.entries(types)
  const open = (name: string): OpenType => {
    const type = types[name]
    if (type === undefined) throw new Error(`The store does not hold ${name}`)
    return { name, type, columns, rows }
  }
  return {
    names: Object.keys(types),
    apply: (changes: readonly Change[]) => {
      rows.forget()
      return new Set(changes.flatMap((change) => namesOf(change, named)))
    },
    replace: () => {
      rows.forget()
      rows.uncover()
    },
    cover: (name, key, row) => rows.cover(name, key, row),
    list: (name, locale, filters = {}) => list(open(name), locale, filters),
    localesOf: (name, documentId) => localesOf(open(name), documentId),
    get: (name, documentId, locale) =>
      getInLocale((key) => rows.shown(name, key), {
        type: open(name).type.name,
        documentId,
        locale,
      }),
    shown: (name, key) => rows.shown(name, key),
    confirmed: (_name, key) => rows.confirmed(key),
    leadingTo: (name, by, documentId, locale) => leadingTo(open(name), by, documentId, locale),
    findPage: (name, asked, arrange) => findPage(open(name), asked, arrange),
  }
}

interface OpenType {
  readonly name: string
  readonly type: TypePlan
  readonly columns: SqliteColumns
  readonly rows: SqliteRows
}

function list(open: OpenType, locale: string, filters: object): readonly Row[] {
  const { name, type, rows } = open
  const linked = (by: string, target: string): SqlCondition => linkedTo(open, by, target)
  const where = within(open, locale, toSqlCondition(type, filters, linked))
  return rows.select(name, where, (row) => isSeen(row, locale))
}

function localesOf({ name, type, rows }: OpenType, documentId: string): readonly Row[] {
  const prefix = `${type.name} ${documentId}`
  const range = { sql: 'key >= ? AND key < ?', values: [`${prefix} `, `${prefix}!`] }
  return rows.select(name, range, (row) => row.documentId === documentId)
}

function leadingTo(open: OpenType, by: string, documentId: string, locale: string): readonly Row[] {
  const where = within(open, locale, linkedTo(open, by, documentId))
  return open.rows
    .select(open.name, where, (row) => isSeen(row, locale))
    .filter(({ data }) => listDocumentIds(data[by]).includes(documentId))
}

function linkedTo({ type, columns }: OpenType, by: string, documentId: string): SqlCondition {
  const link = type.links[by]
  if (link !== undefined && 'many' in link && link.many) {
    return columns.linkedTo(type.name, by, documentId)
  }
  const column = columnOf(by)
  if (column === null) return UNKNOWN
  const equal = { columns: [column], equal: [column] }
  return { sql: `${column.sql} = ?`, values: [documentId], isExact: true, ...equal }
}

function inLocale(locale: string, { sql, values }: Where): Where {
  if (locale === '*') return { sql: `(${sql})`, values }
  return { sql: `(${sql}) AND (locale = ? OR locale IS NULL)`, values: [...values, locale] }
}

/** The rows of a type. A condition on columns reads their table. */
function within({ type, columns }: OpenType, locale: string, condition: SqlCondition): Where {
  const { name } = type
  const range = { sql: 'key > ? AND key < ?', values: [`${name} `, `${name}!`] }
  const isPrepared = columns.prepare(name, condition, [])
  const { sql, values } = inLocale(locale, isPrepared ? condition : UNKNOWN)
  const isOnColumns = isPrepared && condition.columns.length > 0
  const found = isOnColumns ? `key IN (SELECT key FROM "${tableOf(name)}" WHERE ${sql})` : sql
  return { sql: `${range.sql} AND ${found}`, values: [...range.values, ...values] }
}

function findPage<Place>(
  { name, type, columns, rows }: OpenType,
  { locale, filters, keys, start, limit }: PageRequest,
  arrange: (rows: readonly Row[]) => readonly Place[],
): { readonly places: readonly Place[]; readonly total: number } | undefined {
  const order = orderOf(type, keys)
  const condition = toSqlCondition(type, filters, () => UNKNOWN)
  if (order === null || !condition.isExact) return undefined
  if (!columns.prepare(type.name, condition, order.columns)) return undefined
  const covering = rows.covering(name)
  const own = [...covering.values()].filter((row) => row !== null && isSeen(row, locale)) as Row[]
  const matching = arrange(own).length
  // Rows of the user can stand before, in and after the rows of a page.
  const first = Math.max(0, start - matching)
  const skipped = start - first
  const end = limit === null ? undefined : skipped + limit
  const { sql, values } = uncovered(inLocale(locale, condition), covering)
  const table = `"${tableOf(type.name)}"`
  const found = `SELECT key FROM ${table} WHERE ${sql} ORDER BY ${order.sql} LIMIT ? OFFSET ?`
  const bounds: readonly SqlValue[] = [end ?? -1, first]
  const page = rows.read(`key IN (${found})`, [...values, ...bounds])
  return {
    places: arrange([...page, ...own]).slice(skipped, end),
    total: rows.count(`${table} WHERE ${sql}`, values) + matching,
  }
}

interface SqlOrder {
  readonly sql: string
  readonly columns: readonly SqlColumn[]
}

const ID: SqlColumn = { name: 'id', isInteger: false, sql: '"own:id"' }

/** Null if SQL compares the values of an attribute in another way. */
function orderOf(type: TypePlan, keys: PageRequest['keys']): SqlOrder | null {
  const parts = keys.flatMap(({ path: [name = '', ...rest], sign, center }) => {
    const column = rest.length > 0 || center ? null : ownColumn(type, name)
    return column === null ? [] : [{ column, sign }]
  })
  if (parts.length < keys.length) return null
  const id = { column: ID, sign: parts.at(-1)?.sign ?? 1 }
  const all = parts.some(({ column }) => column.name === ID.name) ? parts : [...parts, id]
  return {
    sql: all.map(({ column, sign }) => `${column.sql}${sign < 0 ? ' DESC' : ''}`).join(', '),
    columns: all.map(({ column }) => column),
  }
}
