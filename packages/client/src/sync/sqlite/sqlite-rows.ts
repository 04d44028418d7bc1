import type { Row } from '../storage.ts'
import type { SqlValue, SyncSqlDatabase } from './sql-database.ts'

export interface Where {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Rows by key, in place of rows of the database. Null hides a row. */
type Covering = ReadonlyMap<string, Row | null>

export type SqliteRows = ReturnType<typeof openSqliteRows>

/** Counts that are kept until the next change. */
const MAX_COUNTS = 100

const NONE: Covering = new Map()

/** The rows of the database, and the rows that cover them. */
export function openSqliteRows(database: SyncSqlDatabase) {
  const covers = new Map<string, Map<string, Row | null>>()
  const counts = new Map<string, number>()
  const covering = (name: string): Covering => covers.get(name) ?? NONE
  const read = (where: string, values: readonly SqlValue[]): readonly Row[] =>
    database
      .getAllSync<{ readonly value: string }>(`SELECT value FROM quire_rows WHERE ${where}`, [
        ...values,
      ])
      .map(({ value }) => JSON.parse(value) as Row)
  const confirmed = (key: string): Row | undefined => read('key = ?', [key])[0]
  return {
    read,
    confirmed,
    covering,
    cover: (name: string, key: string, row: Row | null | undefined): void => {
      const cover = covers.get(name) ?? new Map<string, Row | null>()
      if (row === undefined) cover.delete(key)
      else covers.set(name, cover.set(key, row))
    },
    uncover: () => covers.clear(),
    shown: (name: string, key: string): Row | undefined => {
      const row = covering(name).get(key)
      return row === undefined ? confirmed(key) : (row ?? undefined)
    },
    /** The rows of a condition without covered ones, then the covering rows that `isIn` accepts. */
    select: (name: string, where: Where, isIn: (row: Row) => boolean): readonly Row[] => {
      const { sql, values } = uncovered(where, covering(name))
      const own = [...covering(name).values()].filter((row) => row !== null)
      return [...read(sql, values), ...own.filter(isIn)]
    },
    count: (from: string, values: readonly SqlValue[]): number => {
      const key = JSON.stringify([from, values])
      const known = counts.get(key)
      if (known !== undefined) return known
      const sql = `SELECT count(*) AS n FROM ${from}`
      const n = database.getAllSync<{ readonly n: number }>(sql, [...values])[0]?.n ?? 0
      if (counts.size >= MAX_COUNTS) counts.clear()
      counts.set(key, n)
      return n
    },
    /** Called after each change of the database. */
    forget: () => counts.clear(),
  }
}

export function uncovered({ sql, values }: Where, covering: Covering): Where {
  if (covering.size === 0) return { sql, values }
  return {
    sql: `${sql} AND key NOT IN (SELECT value FROM json_each(?))`,
    values: [...values, JSON.stringify([...covering.keys()])],
  }
}
