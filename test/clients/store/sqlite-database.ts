import { rmSync } from 'node:fs'
import type { SqlDatabase } from '@quire/client/sync'
import sqlite from 'node-sqlite3-wasm'

/** An SQLite file with the four methods that the storage requires, as in `expo-sqlite`. */
export function openSqliteFile(file: string): SqlDatabase & { close(): void } {
  // This SQLite locks with a folder, which a killed process leaves behind.
  rmSync(`${file}.lock`, { recursive: true, force: true })
  const database = new sqlite.Database(file)
  let queue: Promise<unknown> = Promise.resolve()
  return {
    execAsync: (source) => Promise.resolve(database.exec(source)),
    runAsync: (source, parameters) => Promise.resolve(database.run(source, parameters)),
    getAllAsync: <T>(source: string, parameters: (string | number | null)[]) =>
      Promise.resolve(database.all(source, parameters) as T[]),
    withTransactionAsync: (task) => {
      const run = async (): Promise<void> => {
        database.exec('BEGIN')
        try {
          await task()
          database.exec('COMMIT')
        } catch (error) {
          database.exec('ROLLBACK')
          throw error
        }
      }
      const done = queue.then(run)
      queue = done.catch(() => undefined)
      return done
    },
    close: () => database.close(),
  }
}
