import type { Change, Mark, PartStorage, Row, Stored, StoreStorage } from '../storage.ts'
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
    (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS quire_parts
    (key TEXT, part INTEGER, value TEXT NOT NULL, PRIMARY KEY (key, part));
  DELETE FROM quire_parts WHERE key NOT IN (SELECT key FROM quire_rows);`

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
const dropFrom = (name: string): string => `DELETE FROM quire_${name} WHERE key = ?`

/** Stores rows in SQLite. With a `SyncSqlDatabase`, queries read the database, and rows stay out of memory. */
export function sqliteStorage(
  database: SqlDatabase | SyncSqlDatabase,
  close: () => Promise<void> = () => Promise.resolve(),
): StoreStorage {
  const ready = untilDone(() => database.execAsync(TABLES))
  const direct = answersAtOnce(database) ? database : null
  const inTurn = openTurns()
  return {
    name: null,
    ...(direct !== null && { openTables: (types) => openSqliteTables(direct, types) }),
    load: async () => {
      await ready()
      if (direct !== null) {
        return toStored(direct.getAllSync<Kept>(MARK, []), direct.getAllSync<Kept>(QUEUED, []))
      }
      let stored: Stored = { mark: null, rows: [] }
      await inTurn(() =>
        database.withTransactionAsync(async () => {
          const marks = await database.getAllAsync<Kept>(MARK, [])
          stored = toStored(marks, await database.getAllAsync<Kept>(ROWS, []))
        }),
      )
      return stored
    },
    commit: async (changes, mark) => {
      await ready()
      let isOurs = false
      const statements = [keepMark(mark), ...runsOf(changes).flatMap(toStatements)]
      if (direct !== null) {
        // Queries read the same connection, and never see a part of the changes.
        direct.withTransactionSync(() => {
          isOurs = precedes(direct.getAllSync(MARK, []), mark)
          if (isOurs) for (const { sql, values } of statements) direct.runSync(sql, values)
        })
        return isOurs
      }
      await inTurn(() =>
        database.withTransactionAsync(async () => {
          isOurs = precedes(await database.getAllAsync(MARK, []), mark)
          if (isOurs) for (const { sql, values } of statements) await database.runAsync(sql, values)
        }),
      )
      return isOurs
    },
    parts: openParts(database, direct, (task) => ready().then(() => inTurn(task))),
    close,
  }
}

function untilDone(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () =>
    (done ??= work().catch((error: unknown) => {
      done = null
      throw error
    }))
}

/** One at a time. A statement outside would join a transaction that is rolled back. */
function openTurns(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const done = last.then(task)
    last = done.catch(() => undefined)
    return done
  }
}

function openParts(
  database: SqlDatabase,
  direct: SyncSqlDatabase | null,
  inTurn: <T>(task: () => Promise<T>) => Promise<T>,
): PartStorage {
  const run = (sql: string, values: SqlValue[]): Promise<unknown> =>
    inTurn(() =>
      direct === null
        ? database.runAsync(sql, values)
        : Promise.resolve(direct.runSync(sql, values)),
    )
  return {
    put: (...values) => run('INSERT OR REPLACE INTO quire_parts VALUES (?, ?, ?)', values),
    get: async (...values) => {
      const sql = 'SELECT value FROM quire_parts WHERE key = ? AND part = ?'
      const [found] = await inTurn<readonly Kept[]>(async () =>
        direct === null ? database.getAllAsync(sql, values) : direct.getAllSync(sql, values),
      )
      return found?.value
    },
    drop: (key) => run(dropFrom('parts'), [key]),
  }
}

function toStored([mark]: readonly Kept[], rows: readonly Kept[]): Stored {
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

function toStatements(run: Run): readonly Statement[] {
  if ('length' in run) return [toInsert(run)]
  if (run.op === 'delete') {
    const tables = run.type.startsWith('$') ? ['rows', 'parts'] : ['rows']
    return tables.map((name) => ({ sql: dropFrom(name), values: [run.key] }))
  }
  if (run.op === 'sweep') {
    return [{ sql: 'DELETE FROM quire_rows WHERE round < ?', values: [run.round] }]
  }
  const sql = 'DELETE FROM quire_rows WHERE type = ? AND locale IS ifnull(?, locale)'
  return [{ sql, values: [run.type, run.locale ?? null] }]
}

function toInsert(rows: readonly Row[]): Statement {
  const places = rows.map(() => '(?, ?, ?, ?, ?)').join(', ')
  return {
    sql: `INSERT OR REPLACE INTO quire_rows (key, type, locale, round, value) VALUES ${places}`,
    values: rows.flatMap((row) => [
      makeRowKey(row),
      row.type,
      row.locale,
      row.round,
      JSON.stringify(row),
    ]),
  }
}
