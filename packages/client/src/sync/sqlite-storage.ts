import { type Change, makeRowKey, type Mark, type Row, type StoreStorage } from './storage.ts'

/** The API of `expo-sqlite`. Do not use the database for anything else. */
export interface SqlDatabase {
  execAsync(source: string): Promise<void>
  runAsync(source: string, parameters: (string | number | null)[]): Promise<unknown>
  getAllAsync<T>(source: string, parameters: (string | number | null)[]): Promise<T[]>
  /** Must roll back if the task throws. */
  withTransactionAsync(task: () => Promise<void>): Promise<void>
}

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

/** Stores rows in two tables of an SQLite database: `quire_rows` and `quire_marks`. */
export function sqliteStorage(
  database: SqlDatabase,
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
  return {
    name: null,
    load: async () => {
      await ready()
      let stored: { readonly marks: readonly Kept[]; readonly rows: readonly Kept[] } = EMPTY_STORE
      await database.withTransactionAsync(async () => {
        const marks = await database.getAllAsync<Kept>('SELECT value FROM quire_marks', [])
        stored = {
          marks,
          rows: await database.getAllAsync<Kept>('SELECT value FROM quire_rows', []),
        }
      })
      const [mark] = stored.marks
      return {
        mark: mark === undefined ? null : (JSON.parse(mark.value) as Mark),
        rows: stored.rows.map(({ value }) => JSON.parse(value) as Row),
      }
    },
    commit: async (changes, mark) => {
      await ready()
      let isOurs = false
      await database.withTransactionAsync(async () => {
        isOurs = await keepMark(database, mark)
        if (isOurs) for (const run of runsOf(changes)) await apply(database, run)
      })
      return isOurs
    },
    close,
  }
}

const EMPTY_STORE = { marks: [], rows: [] }

/** Returns false if the stored mark is not the previous version. */
async function keepMark(database: SqlDatabase, mark: Mark): Promise<boolean> {
  const kept = await database.getAllAsync<{ readonly version: number }>(
    'SELECT version FROM quire_marks',
    [],
  )
  if ((kept[0]?.version ?? 0) !== mark.version - 1) return false
  await database.runAsync('INSERT OR REPLACE INTO quire_marks VALUES (1, ?, ?)', [
    mark.version,
    JSON.stringify(mark),
  ])
  return true
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

async function apply(database: SqlDatabase, run: Run): Promise<void> {
  if ('length' in run) {
    const places = run.map(() => '(?, ?, ?, ?, ?)').join(', ')
    await database.runAsync(
      `INSERT OR REPLACE INTO quire_rows VALUES ${places}`,
      run.flatMap((row) => [makeRowKey(row), row.type, row.locale, row.round, JSON.stringify(row)]),
    )
  } else if (run.op === 'delete') {
    await database.runAsync('DELETE FROM quire_rows WHERE key = ?', [run.key])
  } else if (run.op === 'sweep') {
    await database.runAsync('DELETE FROM quire_rows WHERE round < ?', [run.round])
  } else {
    await database.runAsync(
      'DELETE FROM quire_rows WHERE type = ? AND locale IS ifnull(?, locale)',
      [run.type, run.locale ?? null],
    )
  }
}
