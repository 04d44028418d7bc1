import { rmSync } from 'node:fs'
import type { SqlDatabase, SyncSqlDatabase } from '@quire/client/sync'
import sqlite from 'node-sqlite3-wasm'

type Parameters = (string | number | null)[]

/** An SQLite file with the four asynchronous methods that the storage requires. */
export function openSqliteFile(file: string): SqlDatabase & { close(): void } {
  const direct = openDirectFile(file)
  return {
    execAsync: (source) => direct.execAsync(source),
    runAsync: (source, parameters) => direct.runAsync(source, parameters),
    getAllAsync: (source, parameters) => direct.getAllAsync(source, parameters),
    withTransactionAsync: (task) => direct.withTransactionAsync(task),
    close: () => direct.close(),
  }
}

/** An SQLite file with all methods, as in `expo-sqlite`. `:memory:` is a database without a file. */
export function openDirectFile(file: string): SyncSqlDatabase & { close(): void } {
  // This SQLite locks with a folder, which a killed process leaves behind.
  if (file !== ':memory:') rmSync(`${file}.lock`, { recursive: true, force: true })
  const database = new sqlite.Database(file)
  const rolledBack = (error: unknown): never => {
    database.exec('ROLLBACK')
    throw error
  }
  /** Refuses statements that return no rows, as some packages for SQLite do. */
  const readAll = <T>(source: string, parameters: Parameters): T[] => {
    if (!/^\s*(?:SELECT|WITH|EXPLAIN|PRAGMA)\b/i.test(source)) throw new Error('use run instead')
    return database.all(source, parameters) as T[]
  }
  let queue: Promise<unknown> = Promise.resolve()
  return {
    execAsync: (source) => Promise.resolve(database.exec(source)),
    runAsync: (source, parameters) => Promise.resolve(database.run(source, parameters)),
    getAllAsync: <T>(source: string, parameters: Parameters) =>
      Promise.resolve(readAll<T>(source, parameters)),
    withTransactionAsync: (task) => {
      const run = async (): Promise<void> => {
        database.exec('BEGIN')
        try {
          await task()
          database.exec('COMMIT')
        } catch (error) {
          rolledBack(error)
        }
      }
      const done = queue.then(run)
      queue = done.catch(() => undefined)
      return done
    },
    execSync: (source) => database.exec(source),
    runSync: (source, parameters) => database.run(source, parameters),
    getAllSync: readAll,
    withTransactionSync: (task) => {
      database.exec('BEGIN')
      try {
        task()
        database.exec('COMMIT')
      } catch (error) {
        rolledBack(error)
      }
    },
    close: () => database.close(),
  }
}
