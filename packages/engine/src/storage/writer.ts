import type { Database, RootDatabase } from 'lmdb'
import { diskFault } from '../errors.ts'
import type { CommandError } from '../errors.ts'
import type { DiskSpace } from './disk-space.ts'
import { startsFromNewest } from './newest-commit.ts'

export type Table = Database<Buffer, Buffer>

export interface Writer {
  /**
   * Writes the changes to disk before it returns. If `change` throws, all its changes are undone.
   * @throws CommandError OutOfDiskSpace, FileStreamFailed
   */
  readonly write: <T>(change: () => T) => T
  /** Must run inside a write. */
  put(table: Table, key: Buffer, value: Buffer): void
  /** Must run inside a write. */
  remove(table: Table, key: Buffer): void
  /** For adjacent keys. Must run inside a write. */
  removeAll(table: Table, keys: readonly Buffer[]): void
  /** Announces a change, even if only in memory. Must run inside a write. */
  touch(): void
  /** If it did not increase during a write, there is no change to undo. */
  readonly changes: () => number
  /**
   * Must be called before every read, because LMDB must not be called after a failed write.
   * @throws CommandError FileStreamFailed
   */
  readonly assertSound: () => void
}

export const PAGES_PER_KEY = 3

export function openWriter(root: RootDatabase, room: DiskSpace): Writer {
  const { write, inLmdb, assertSound } = openTransactions(root, room)
  let changes = 0
  return {
    write,
    touch: () => {
      changes++
    },
    changes: () => changes,
    put: (table, key, value) => {
      changes++
      room.claim(key.length + value.length, PAGES_PER_KEY)
      inLmdb(() => table.putSync(key, value))
    },
    remove: (table, key) => {
      changes++
      room.claim(0, PAGES_PER_KEY)
      inLmdb(() => table.removeSync(key))
    },
    removeAll: (table, keys) => {
      for (const key of keys) {
        changes++
        room.claim(0, 0)
        inLmdb(() => table.removeSync(key))
      }
    },
    assertSound,
  }
}

interface Transactions extends Pick<Writer, 'write' | 'assertSound'> {
  readonly inLmdb: (work: () => void) => void
}

/**
 * Pages go to unused space before the file refers to them, so a failed commit leaves the file
 * intact. But another call of LMDB, even a read, corrupts memory (`last_error` in its mdb.c).
 */
function openTransactions(root: RootDatabase, room: DiskSpace): Transactions {
  let fault: CommandError | null = null
  const failed = (error: unknown): CommandError =>
    (fault = diskFault(error instanceof Error ? error.message : String(error)))
  const assertSound = (): void => {
    if (fault) throw fault
  }
  return {
    assertSound,
    write: (change) => {
      assertSound()
      room.begin()
      const progress = { commits: false }
      try {
        return root.transactionSync(() => {
          if (!startsFromNewest(root)) throw failed('another process hid the last commit')
          const result = change()
          progress.commits = true
          return result
        })
      } catch (error) {
        throw progress.commits ? failed(error) : error
      }
    },
    inLmdb: (work) => {
      try {
        work()
      } catch (error) {
        throw failed(error)
      }
    },
  }
}

export function refuseWrites(): Writer {
  const refuse = (): never => {
    throw diskFault('it can only be read')
  }
  return {
    write: refuse,
    put: refuse,
    remove: refuse,
    removeAll: refuse,
    touch: refuse,
    changes: () => 0,
    assertSound: () => undefined,
  }
}
