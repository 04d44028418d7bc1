import type { Database, RootDatabase } from 'lmdb'
import { diskFault } from '../errors.ts'
import type { CommandError } from '../errors.ts'
import type { Room } from './room.ts'

export type Table = Database<Buffer, Buffer>

/** What changes the tables. */
export interface Writer {
  /**
   * Runs one atomic write; it is on the disk when this returns, and gone when it throws.
   * @throws CommandError OutOfDiskSpace, FileStreamFailed
   */
  readonly write: <T>(change: () => T) => T
  /** Inside a write. */
  put(table: Table, key: Buffer, value: Buffer): void
  /** Inside a write. */
  remove(table: Table, key: Buffer): void
  /** The same for keys that follow each other. */
  removeAll(table: Table, keys: readonly Buffer[]): void
  /** Inside a write: something is about to be changed, if only in memory. */
  touch(): void
  /** Grows with each change that is begun: a write without any has nothing to be undone. */
  readonly changes: () => number
  /**
   * Before anything is read: LMDB must not be asked again after it has failed to write.
   * @throws CommandError FileStreamFailed once it has
   */
  readonly assertSound: () => void
}

/** A leaf, what it is split into, and the branch above. */
export const PAGES_OF_A_KEY = 3

/** Claims the room for each write first. */
export function openWriter(root: RootDatabase, room: Room): Writer {
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
      room.claim(key.length + value.length, PAGES_OF_A_KEY)
      inLmdb(() => table.putSync(key, value))
    },
    remove: (table, key) => {
      changes++
      room.claim(0, PAGES_OF_A_KEY)
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
 * A transaction is on the disk before the file names its pages, which no earlier one uses: where that fails, the
 * file is as it was. LMDB is not: when it was to write the names it gives up for good, and breaks the
 * memory of the process if it is asked once more, even to read (`last_error` in its mdb.c).
 */
function openTransactions(root: RootDatabase, room: Room): Transactions {
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

/** Of a folder that can only be read. */
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
