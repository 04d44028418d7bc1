import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { RootDatabase, Transaction } from 'lmdb'
import { CommandError } from '../errors.ts'
import { checkFile } from './check-file.ts'
import { openRoom, takesWrites } from './room.ts'
import { openWriter, PAGES_OF_A_KEY, refuseWrites } from './writer.ts'
import type { Table, Writer } from './writer.ts'

export type Snapshot = Transaction

/** The tables of one data folder. Only one process has it open (see `claimFolder`). */
export interface Store extends Writer {
  /** collection number, record number → the document's bytes */
  readonly records: Table
  /** index number, encoded key (, record number) → record number */
  readonly entries: Table
  /** collection number → its description */
  readonly catalog: Table
  /** session → how its last write ended */
  readonly sessions: Table
  snapshot(): Snapshot
  /** Keeps no page for this process; the next read sees what others have committed until then. */
  endRead(): void
  /** Grows with each commit, of any writer. */
  lastCommit(): number
  /** Lets go the pages that readers kept who are no more. */
  releaseDeadReaders(): void
  /** Whether the disk takes what is written to it. */
  diskWorks(): boolean
  close(): Promise<void>
}

function statsOf(
  root: RootDatabase,
): Readonly<Record<'pageSize' | 'lastPageNumber' | 'lastTxnId', number>> {
  return root.getStats() as never
}

function usedBytes(root: RootDatabase): number {
  const { pageSize, lastPageNumber } = statsOf(root)
  return (lastPageNumber + 1) * pageSize
}

export interface StoreOptions {
  readonly directory: string
  /** Whether a write is on the disk when it returns. */
  readonly durable: boolean
  /** For a disk that cannot be written to. */
  readonly readOnly?: boolean
}

export function openStore({ directory, durable, readOnly = false }: StoreOptions): Store {
  if (!readOnly) mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'data.mdb')
  checkFile(path, { readOnly })
  // The types of lmdb 3.5.6 do not know safeRestore.
  const options = {
    path,
    readOnly,
    maxDbs: 8,
    maxReaders: 2048,
    cache: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    noSync: !durable,
    // Of a file whose end was written without a sync, as it once was: the last that is known to be on the disk.
    safeRestore: durable,
  } as const
  const root = open(options)
  const room = readOnly ? null : openRoom(path, () => usedBytes(root))
  room?.claim(0, PAGES_OF_A_KEY) // for the tables, where there are none yet
  const table = (name: string): Table =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  checkFormat(table('format'), readOnly)
  return {
    records: table('records'),
    entries: table('entries'),
    catalog: table('catalog'),
    sessions: table('sessions'),
    ...(room ? openWriter(root, room) : refuseWrites()),
    diskWorks: () => room?.takesWrites() ?? takesWrites(path),
    snapshot: () => root.useReadTransaction(),
    endRead: () => root.resetReadTxn(),
    lastCommit: () => statsOf(root).lastTxnId,
    releaseDeadReaders: () => root.readerCheck(),
    async close() {
      await root.close()
      room?.close()
    },
  }
}

/** What this version writes, and the newest it can read. */
const FORMAT = 1
const FORMAT_KEY = Buffer.from('format')

/** @throws CommandError UnsupportedFormat for a folder that a newer version has written. */
function checkFormat(table: Table, readOnly: boolean): void {
  const format = table.get(FORMAT_KEY)?.readUInt32BE(0)
  if (format === undefined && !readOnly) table.putSync(FORMAT_KEY, numberKey(FORMAT))
  if (format === undefined || format <= FORMAT) return
  throw new CommandError(
    'UnsupportedFormat',
    `it was written by a newer version, in format ${format}; this one reads up to ${FORMAT}`,
  )
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
