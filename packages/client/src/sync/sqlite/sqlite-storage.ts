import type { Change, Mark, Row, Stored, StoreStorage } from '../storage.ts'
import { makeRowKey } from '../storage.ts'
import {
  answersAtOnce,
  type SqlDatabase,
  type SqlValue,
  type SyncSqlDatabase,
} from './sql-database.ts'
import { openSqliteTables } from './sqlite-tables.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS quire_rows
    (key TEXT PRIMARY KEY, type TEXT NOT NULL, locale TEXT, round INTEGER NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS quire_marks
    (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, value TEXT NOT NULL);`

/** Rows per statement, with five parameters each: old builds of SQLite allow 999. */
const BATCH = 150

interface Kept {
  readonly value: string
}

interface Statement {
  readonly sql: string
  readonly values: SqlValue[]
}

const MARK = 'SELECT version, value FROM quire_marks'
const ROWS = 'SELECT value FROM quire_rows'
/** The types of queued changes and files begin with `$`. */
const QUEUED = `${ROWS} WHERE key >= '$' AND key < '%'`

/**
 * Stores rows in two tables of an SQLite database: `quire_rows` and `quire_marks`. A database with
 * `getAllSync`, `runSync`, `execSync` and `withTransactionSync` also answers queries: the rows then
 * stay out of memory.
 */
export function sqliteStorage(
  database: SqlDatabase | SyncSqlDatabase,
  close: () => Promise<void> = () => Promise.resolve(),
): StoreStorage {
  let made: Promise<void> | null = null
  const ready = async (): Promise<void> => {
    made ??= database.execAsync(TABLES)
    try {
      await made
    } catch (error) {
      made = null
      throw error
    }
  }
  const direct = answersAtOnce(database) ? database : null
  return {
    name: null,
    ...(direct !== null && { openTables: (types) => openSqliteTables(direct, types) }),
    load: async () => {
      await ready()
      if (direct !== null) {
        return toStored(direct.getAllSync<Kept>(MARK, []), direct.getAllSync<Kept>(QUEUED, []))
      }
      let stored: Stored = { mark: null, rows: [] }
      await database.withTransactionAsync(async () => {
        const marks = await database.getAllAsync<Kept>(MARK, [])
        stored = toStored(marks, await database.getAllAsync<Kept>(ROWS, []))
      })
      return stored
    },
    commit: async (changes, mark) => {
      await ready()
      let isOurs = false
      const statements = [keepMark(mark), ...runsOf(changes).map(toStatement)]
      if (direct !== null) {
        // Queries read the same connection. They never see a part of the changes.
        direct.withTransactionSync(() => {
          isOurs = precedes(direct.getAllSync(MARK, []), mark)
          if (isOurs) for (const { sql, values } of statements) direct.runSync(sql, values)
        })
        return isOurs
      }
      await database.withTransactionAsync(async () => {
        isOurs = precedes(await database.getAllAsync(MARK, []), mark)
        if (isOurs) for (const { sql, values } of statements) await database.runAsync(sql, values)
      })
      return isOurs
    },
    close,
  }
}

function toStored(marks: readonly Kept[], rows: readonly Kept[]): Stored {
  const [mark] = marks
  return {
    mark: mark === undefined ? null : (JSON.parse(mark.value) as Mark),
    rows: rows.map(({ value }) => JSON.parse(value) as Row),
  }
}

/** True if the stored mark is the previous version. */
function precedes(stored: readonly { readonly version: number }[], mark: Mark): boolean {
  return (stored[0]?.version ?? 0) === mark.version - 1
}

function keepMark(mark: Mark): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO quire_marks VALUES (1, ?, ?)',
    values: [mark.version, JSON.stringify(mark)],
  }
}

type Run = readonly Row[] | Exclude<Change, { readonly op: 'put' }>

/** Consecutive rows share a statement. */
function runsOf(changes: readonly Change[]): readonly Run[] {
  const runs: (Row[] | Exclude<Change, { readonly op: 'put' }>)[] = []
  for (const change of changes) {
    const last = runs.at(-1)
    if (change.op !== 'put') runs.push(change)
    else if (Array.isArray(last) && last.length < BATCH) last.push(change.row)
    else runs.push([change.row])
  }
  return runs
}

function toStatement(run: Run): Statement {
  if ('length' in run) {
    const places = run.map(() => '(?, ?, ?, ?, ?)').join(', ')
    return {
      sql: `INSERT OR REPLACE INTO quire_rows (key, type, locale, round, value) VALUES ${places}`,
      values: run.flatMap((row) => [
        makeRowKey(row),
        row.type,
        row.locale,
        row.round,
        JSON.stringify(row),
      ]),
    }
  }
  if (run.op === 'delete') {
    return { sql: 'DELETE FROM quire_rows WHERE key = ?', values: [run.key] }
  }
  if (run.op === 'sweep') {
    return { sql: 'DELETE FROM quire_rows WHERE round < ?', values: [run.round] }
  }
  return {
    sql: 'DELETE FROM quire_rows WHERE type = ? AND locale IS ifnull(?, locale)',
    values: [run.type, run.locale ?? null],
  }
}
