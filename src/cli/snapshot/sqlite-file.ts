import { rename, rm } from 'node:fs/promises'
import { type SnapshotFile, unfinished } from './snapshot-file.ts'

const TABLES = `
  CREATE TABLE rows (
    type TEXT NOT NULL, documentId TEXT NOT NULL, locale TEXT NOT NULL,
    status TEXT NOT NULL, revision TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (type, documentId, locale)
  ) WITHOUT ROWID;
  CREATE TABLE sync (token TEXT NOT NULL);
`

interface Item {
  readonly op: 'put' | 'delete' | 'reset'
  readonly type: string
  readonly documentId: string
  readonly locale?: string | null
  readonly status: string
  readonly revision: string
  readonly data: object
}

/** `locale` is empty for versions without locale. Loads the SQLite package on demand. */
export async function openSqliteFile(path: string): Promise<SnapshotFile> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  const part = unfinished(path)
  await rm(part, { force: true })
  const database = new sqlite.Database(part)
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;') // invisible until it is complete
  database.exec(TABLES)
  const put = database.prepare('INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?)')
  const remove = database.prepare(
    'DELETE FROM rows WHERE type = ? AND documentId = ? AND locale = ?',
  )
  const apply = (item: Item): void => {
    const { type, documentId, status, revision, data } = item
    const locale = item.locale ?? ''
    if (item.op === 'put') {
      put.run([type, documentId, locale, status, revision, JSON.stringify(data)])
    } else if (item.op === 'delete') remove.run([type, documentId, locale])
    else reset(database, item)
  }
  const close = (): void => {
    put.finalize()
    remove.finalize()
    database.close()
  }
  return {
    apply: (items) => {
      database.exec('BEGIN')
      for (const item of items) apply(JSON.parse(item) as Item)
      database.exec('COMMIT')
      return Promise.resolve()
    },
    finish: async (token) => {
      database.run('INSERT INTO sync VALUES (?)', [token])
      const counted = database.get('SELECT count(*) AS count FROM rows')
      close()
      await rename(part, path)
      return Number(counted?.['count'])
    },
    abandon: async () => {
      close()
      await rm(part, { force: true })
    },
  }
}

function reset(
  database: { run(sql: string, values: string[]): unknown },
  { type, locale }: Pick<Item, 'type' | 'locale'>,
): void {
  if (locale === undefined) database.run('DELETE FROM rows WHERE type = ?', [type])
  else database.run('DELETE FROM rows WHERE type = ? AND locale = ?', [type, locale ?? ''])
}
