import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { Database, RootDatabase, Transaction } from 'lmdb'
import { openRoom, type Room } from './room.ts'

export type Table = Database<Buffer, Buffer>
export type Snapshot = Transaction

/** The tables of one data folder. Only one process has it open (see `claimFolder`). */
export interface Store {
  /** collection number, record number → the document's bytes */
  readonly records: Table
  /** index number, encoded key (, record number) → record number */
  readonly entries: Table
  /** collection number → its description */
  readonly catalog: Table
  /** session → how its last write ended */
  readonly sessions: Table
  /**
   * Runs one atomic write; what it put is gone when it throws.
   * @throws CommandError OutOfDiskSpace
   */
  write<T>(change: () => T): T
  /** Inside a write. */
  put(table: Table, key: Buffer, value: Buffer): void
  /** Inside a write. */
  remove(table: Table, key: Buffer): void
  /** The same for keys that follow each other. */
  removeAll(table: Table, keys: readonly Buffer[]): void
  snapshot(): Snapshot
  /** Resolves when everything written so far is on the disk. */
  flushed(): Promise<void>
  close(): Promise<void>
}

// lmdb's flags of a transaction: abortable, synchronous, and without a sync of its own. The file keeps the last
// state that was synced beside the newest one, so a lost sync loses the unacknowledged end only.
const WITHOUT_SYNC = 0x10003

const isWindows = process.platform === 'win32'

function syncer(root: RootDatabase): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> => {
    running = new Promise<void>((resolve, reject) => {
      ;(root as unknown as { sync(done: (error?: Error | null) => void): void }).sync((error) =>
        error ? reject(error) : resolve(),
      )
    }).finally(() => (running = null))
    return running
  }
  // A sync that already runs may have begun before the write: everyone who comes meanwhile shares the next.
  return () => {
    if (!running) return start()
    next ??= running.then(
      () => ((next = null), start()),
      () => ((next = null), start()),
    )
    return next
  }
}

/** A leaf, what it is split into, and the branch above. */
const PAGES_OF_A_KEY = 3

function usedBytes(root: RootDatabase): number {
  const { pageSize, lastPageNumber } = root.getStats() as Readonly<
    Record<'pageSize' | 'lastPageNumber', number>
  >
  return (lastPageNumber + 1) * pageSize
}

/** What changes the tables, and claims the room for it first. */
function writer(
  root: RootDatabase,
  room: Room,
  flags: number | undefined,
): Pick<Store, 'write' | 'put' | 'remove' | 'removeAll'> {
  return {
    write: (change) => {
      room.begin()
      return (
        root as unknown as { transactionSync<T>(change: () => T, flags?: number): T }
      ).transactionSync(change, flags)
    },
    put: (table, key, value) => {
      room.claim(key.length + value.length, PAGES_OF_A_KEY)
      table.putSync(key, value)
    },
    remove: (table, key) => {
      room.claim(0, PAGES_OF_A_KEY)
      table.removeSync(key)
    },
    removeAll: (table, keys) => {
      for (const key of keys) {
        room.claim(0, 0)
        table.removeSync(key)
      }
    },
  }
}

export function openStore(directory: string, durable: boolean): Store {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'data.mdb')
  const root = open({
    path,
    maxDbs: 8,
    maxReaders: 2048,
    cache: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    noSync: !durable,
  })
  const room = openRoom(path, () => usedBytes(root))
  room.claim(0, PAGES_OF_A_KEY) // for the tables, where there are none yet
  const table = (name: string): Table =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  const sync = syncer(root)
  // Windows has no overlapping sync: there each transaction syncs itself.
  const flags = isWindows || !durable ? undefined : WITHOUT_SYNC
  return {
    records: table('records'),
    entries: table('entries'),
    catalog: table('catalog'),
    sessions: table('sessions'),
    ...writer(root, room, flags),
    snapshot: () => root.useReadTransaction(),
    flushed: () => (flags === undefined ? Promise.resolve() : sync()),
    async close() {
      if (flags !== undefined) await sync()
      await root.close()
      room.close()
    },
  }
}

interface Range {
  /** The lowest key, included, and the highest, left out. */
  readonly low: Buffer
  readonly high: Buffer
  readonly reverse?: boolean
  readonly snapshot?: Snapshot | undefined
}

export interface Entry {
  readonly key: Buffer
  readonly value: Buffer
}

const FIRST_CHUNK = 32
const LARGEST_CHUNK = 2048

/**
 * The entries of a range, read in growing chunks: between two of them no cursor is open, so that a reader
 * may pause for any time, and writes that happen meanwhile are seen or not but never break it.
 */
export function* readRange(
  table: Table,
  { low, high, reverse = false, snapshot }: Range,
): Generator<Entry> {
  const [first, end] = reverse ? [high, low] : [low, high]
  let last: Buffer | undefined
  for (let limit = FIRST_CHUNK; ; limit = Math.min(limit * 2, LARGEST_CHUNK)) {
    const entries: Entry[] = [
      ...table.getRange({
        start: last ?? first,
        end,
        exclusiveStart: reverse || last !== undefined,
        inclusiveEnd: reverse,
        reverse,
        limit,
        ...(snapshot && { transaction: snapshot }),
      }),
    ]
    yield* entries
    if (entries.length < limit) return
    last = entries.at(-1)?.key
  }
}

export function numberKey(first: number, second?: number): Buffer {
  const key = Buffer.allocUnsafe(second === undefined ? 4 : 8)
  key.writeUInt32BE(first, 0)
  if (second !== undefined) key.writeUInt32BE(second, 4)
  return key
}
