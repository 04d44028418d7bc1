export type SqlValue = string | number | null

/** The API of `expo-sqlite`. Do not use the database for anything else. */
export interface SqlDatabase {
  execAsync(source: string): Promise<void>
  runAsync(source: string, parameters: SqlValue[]): Promise<unknown>
  getAllAsync<T>(source: string, parameters: SqlValue[]): Promise<T[]>
  /** Must roll back if the task throws. */
  withTransactionAsync(task: () => Promise<void>): Promise<void>
}

/** A database that also answers at once. Its rows stay on disk, and queries run as SQL. */
export interface SyncSqlDatabase extends SqlDatabase {
  execSync(source: string): void
  runSync(source: string, parameters: SqlValue[]): unknown
  getAllSync<T>(source: string, parameters: SqlValue[]): T[]
  /** Must roll back if the task throws. */
  withTransactionSync(task: () => void): void
}

export function answersAtOnce(database: SqlDatabase): database is SyncSqlDatabase {
  return 'getAllSync' in database && 'withTransactionSync' in database
}
