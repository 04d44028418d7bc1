import { ApplicationError, ConfigError } from '../../base/errors.ts'
import type { Database } from '../connection/database.ts'
import { ensureRow } from '../system/system-collections.ts'
import type { LocaleCodes } from './replace-code.ts'
import { changeRun, endRun, type RunId, type RunRow, takeRun } from './run-row.ts'

/** An unfinished rename of a locale. */
export interface LocaleRenameRow extends LocaleCodes, RunRow {
  readonly _id: 'locale'
  /** The name of the locale afterwards. Null keeps a chosen name. */
  readonly name: string | null
  /** Rows may have the new code already. Before that, processes may still be running. */
  readonly hasBegun: boolean
  readonly at: Date
}

const WHICH = { _id: 'locale' } as const

const renamesIn = (database: Database) => database.table<LocaleRenameRow>('quire_conversions')

export function readLocaleRename(database: Database): Promise<LocaleRenameRow | null> {
  return renamesIn(database).findOne(WHICH)
}

export async function putLocaleRename(database: Database, row: LocaleRenameRow): Promise<void> {
  await ensureRow(renamesIn(database), row)
}

export const localeRun = (run: string): RunId => ({ ...WHICH, run })

/** Null if the row is gone. */
export function takeLocaleRename(database: Database, run: string): Promise<LocaleRenameRow | null> {
  return takeRun(database, localeRun(run)) as Promise<LocaleRenameRow | null>
}

/** @throws ConfigError if another process has taken over */
export function beginLocaleRename(database: Database, run: string): Promise<void> {
  return changeRun(database, localeRun(run), { hasBegun: true })
}

/** Ends a rename that has not begun. Returns false if it has begun meanwhile, or if it is gone. */
export async function cancelLocaleRename(database: Database, run: string): Promise<boolean> {
  const { deletedCount } = await renamesIn(database).deleteOne({ ...WHICH, run, hasBegun: false })
  return deletedCount === 1
}

/** @throws ConfigError if another process has taken over */
export function endLocaleRename(database: Database, run: string): Promise<void> {
  return endRun(database, localeRun(run))
}

/**
 * Refuses also while a rename is planned, because it begins without another look at the processes.
 * @throws ConfigError, because commands would read some rows under each code
 */
export async function assertNoLocaleRename(database: Database): Promise<void> {
  const row = await readLocaleRename(database)
  if (row !== null) throw new ConfigError([explainUnfinished(row)])
}

export function explainUnfinished({ from, to }: LocaleCodes): string {
  return `The rename of the locale ${from} to ${to} is unfinished: repeat \`quire locale rename ${from} ${to}\`, or start the server`
}

/** @throws ApplicationError for another rename */
export function assertSameRename(row: LocaleRenameRow, { from, to }: LocaleCodes): void {
  if (row.from !== from || row.to !== to) throw new ApplicationError(explainUnfinished(row))
}
