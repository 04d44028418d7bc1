import type { SqlDatabase } from './sql-database.ts'

interface SnapshotRow {
  readonly type: string
  readonly documentId: string
  /** Empty for types without locales. */
  readonly locale: string
  readonly revision: string
  readonly data: string
}

/**
 * Converts the output of `quire snapshot --format sqlite` for `createStore`.
 * @throws Error if the database is not a finished snapshot
 */
export async function sqliteSnapshot(database: Pick<SqlDatabase, 'getAllAsync'>): Promise<string> {
  const [last] = await database.getAllAsync<{ readonly token: string }>(
    'SELECT token FROM sync',
    [],
  )
  if (last === undefined) throw new Error('The snapshot is not that of a finished sync')
  const rows = await database.getAllAsync<SnapshotRow>(
    'SELECT type, documentId, locale, revision, data FROM rows',
    [],
  )
  const lines = rows.map(({ locale, data, ...row }) =>
    JSON.stringify({
      op: 'put',
      ...row,
      locale: locale === '' ? null : locale,
      data: JSON.parse(data) as unknown,
    }),
  )
  return [...lines, JSON.stringify({ next: last.token, more: false })].join('\n')
}
