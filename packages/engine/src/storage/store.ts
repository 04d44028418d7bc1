import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { RootDatabase, Transaction } from 'lmdb'
import { CommandError } from '../errors.ts'
import { checkFile, endCreation } from './check-file.ts'
import { openDiskSpace, isWritable } from './disk-space.ts'
import { statsOf } from './newest-commit.ts'
import { openWriter, PAGES_PER_KEY, refuseWrites } from './writer.ts'
import type { Table, Writer } from './writer.ts'

export type Snapshot = Transaction

/** The tables of a data folder. Only one process may write to it (see `claimFolder`). */
export interface Store extends Writer {
  /** collection number, record number → the document's bytes */
  readonly records: Table
  /** index number, encoded key (, record number) → record number */
  readonly entries: Table
  /** collection number → its description */
  readonly catalog: Table
  readonly sessions: Table
  /** Whether the folder has the current format. */
  isMarked(): boolean
  /** Older versions cannot open the folder any more. Must run inside a write. */
  mark(): void
  snapshot(): Snapshot
  /** Releases the pages of the current read. The next read sees newer commits. */
  endRead(): void
  /** Increases with each commit of any process. */
  lastCommit(): number
  /** Releases the pages that dead processes were reading. */
  releaseDeadReaders(): void
  diskWorks(): boolean
  close(): Promise<void>
}

function usedBytes(root: RootDatabase): number {
  const { pageSize, lastPageNumber } = statsOf(root)
  return (lastPageNumber + 1) * pageSize
}

export interface StoreOptions {
  readonly directory: string
  readonly durable: boolean
  readonly readOnly?: boolean
}

export function openStore({ directory, durable, readOnly = false }: StoreOptions): Store {
  if (!readOnly) mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'data.mdb')
  checkFile(path, { readOnly })
  // safeRestore is missing in the types of lmdb 3.5.6.
  const options = {
    path,
    readOnly,
    maxDbs: 8,
    maxReaders: 2048,
    cache: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    noSync: !durable,
    // If the end of the file was written without a sync, restores the last synced commit.
    safeRestore: durable,
  } as const
  const root = open(options)
  if (!readOnly) endCreation(path)
  const room = readOnly ? null : openDiskSpace(path, () => usedBytes(root))
  room?.claim(0, PAGES_PER_KEY) // for new tables
  const table = (name: string): Table =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  const formats = table('format')
  checkFormat(formats)
  const writer = room ? openWriter(root, room) : refuseWrites()
  return {
    records: table('records'),
    entries: table('entries'),
    catalog: table('catalog'),
    sessions: table('sessions'),
    ...writer,
    isMarked: () => formatOf(formats) === FORMAT,
    mark: () => {
      writer.put(formats, FORMAT_KEY, encodeNumberKey(FORMAT))
    },
    diskWorks: () => room?.takesWrites() ?? isWritable(path),
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

/** Versions that know format 1 only would misread keys with bands. */
const FORMAT = 2
const FORMAT_KEY = Buffer.from('format')

function formatOf(table: Table): number {
  return table.get(FORMAT_KEY)?.readUInt32BE(0) ?? 0
}

/** @throws CommandError UnsupportedFormat if a newer version has written the folder */
function checkFormat(table: Table): void {
  const format = formatOf(table)
  if (format <= FORMAT) return
  throw new CommandError(
    'UnsupportedFormat',
    `it was written by a newer version, in format ${format}; this one reads up to ${FORMAT}`,
  )
}

interface Range {
  /** `low` is inclusive, `high` exclusive. */
  readonly low: Buffer
  readonly high: Buffer
  readonly reverse?: boolean
  readonly snapshot?: Snapshot | undefined
}

export interface TableEntry {
  readonly key: Buffer
  readonly value: Buffer
}

const FIRST_CHUNK = 32
const MAX_CHUNK = 2048

/**
 * In growing chunks. No cursor is open between them, so the caller may pause. Concurrent writes
 * never break the iteration.
 */
export function* readRange(
  table: Table,
  { low, high, reverse = false, snapshot }: Range,
): Generator<TableEntry> {
  const [first, end] = reverse ? [high, low] : [low, high]
  let last: Buffer | undefined
  for (let limit = FIRST_CHUNK; ; limit = Math.min(limit * 2, MAX_CHUNK)) {
    const entries: TableEntry[] = [
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

export function encodeNumberKey(first: number, second?: number): Buffer {
  const key = Buffer.allocUnsafe(second === undefined ? 4 : 8)
  key.writeUInt32BE(first, 0)
  if (second !== undefined) key.writeUInt32BE(second, 4)
  return key
}
