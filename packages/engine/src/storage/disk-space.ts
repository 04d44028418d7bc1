import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { CommandError, diskFault } from '../errors.ts'

/**
 * When a write of lmdb 3.5.6 fails, its error message overflows a buffer (`last_error` in its
 * mdb.c) and corrupts memory. So LMDB only writes to blocks that were allocated before.
 */
export interface DiskSpace {
  /** Must be called before each write. @throws CommandError FileStreamFailed if the file is not writable */
  begin(): void
  takesWrites(): boolean
  /** Allocates blocks for new pages. @throws CommandError OutOfDiskSpace, FileStreamFailed */
  claim(bytes: number, pages: number): void
  close(): void
}

const PAGE_BYTES = 4096
/** Roots, table descriptions and freed pages. */
const BASE_BYTES = 16 * PAGE_BYTES
/** Overhead per key. */
const NODE_BYTES = 32
/** A row larger than a third of a page may need a page of its own: 3 bytes per byte, plus branch pages. */
const PAGE_BYTES_PER_BYTE = 4
const STEP_BYTES = 1024 * 1024
const ZEROS = Buffer.alloc(STEP_BYTES)

/**
 * `usedBytes` is called at each write, because the last claim was a worst case and mostly unused.
 */
export function openDiskSpace(path: string, usedBytes: () => number): DiskSpace {
  const file = openSync(path, 'r+')
  const assertWritable = writeTester(path, file)
  let used = usedBytes()
  let allocated = shrink(file, used)
  let scattered = 0
  let added = 0
  /** A write copies each existing page at most once. In the worst case it adds one row per page. */
  const need = (): number => Math.min(scattered, used + PAGE_BYTES_PER_BYTE * added) + BASE_BYTES
  return {
    begin: () => {
      assertWritable()
      used = usedBytes()
      scattered = 0
      added = 0
    },
    takesWrites: () =>
      answers(() => {
        assertWritable()
        fdatasyncSync(file)
      }),
    claim: (bytes, pages) => {
      scattered += (pages + Math.ceil(bytes / PAGE_BYTES)) * PAGE_BYTES
      added += bytes + NODE_BYTES
      const end = used + need()
      if (end > allocated) allocated = extend(file, { from: allocated, to: end, step: STEP_BYTES })
    },
    close: () => closeSync(file),
  }
}

/** Truncates a file that is more than twice as long as its used part. Returns the length. */
function shrink(file: number, used: number): number {
  const allocated = fstatSync(file).size
  const end = Math.ceil((used + BASE_BYTES) / STEP_BYTES) * STEP_BYTES
  if (allocated <= 2 * end) return allocated
  try {
    ftruncateSync(file, end)
  } catch {
    // Windows cannot truncate a mapped file.
    return allocated
  }
  return end
}

/**
 * Data written to a removed file would be lost at exit. Rewrites the first byte, which never
 * changes.
 */
function writeTester(path: string, file: number): () => void {
  const first = Buffer.alloc(1)
  readSync(file, first, 0, 1, 0)
  const { dev, ino } = fstatSync(file)
  return () => {
    const there = asked(() => statSync(path, { throwIfNoEntry: false }))
    if (there?.dev !== dev || there.ino !== ino)
      throw diskFault(`${path} was removed, moved or replaced`)
    asked(() => writeSync(file, first, 0, 1, 0))
  }
}

export function isWritable(path: string): boolean {
  return answers(() => {
    const file = openSync(path, 'r+')
    try {
      writeTester(path, file)()
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
  })
}

function answers(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** @throws CommandError OutOfDiskSpace, FileStreamFailed */
function asked<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw refusal(error as Error)
  }
}

function refusal(error: Error): CommandError {
  return isFull(error)
    ? new CommandError('OutOfDiskSpace', error.message)
    : diskFault(error.message)
}

export function reserveSpace(path: string, bytes: number): void {
  const file = openSync(path, 'r+')
  try {
    extend(file, { from: fstatSync(file).size, to: bytes, step: PAGE_BYTES })
  } finally {
    closeSync(file)
  }
}

/**
 * Returns the new length: the end of the step, or `to` if the disk has no room for more. A file that is longer than
 * `from` has grown by pages of LMDB, which are kept.
 */
function extend(
  file: number,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: number },
): number {
  const end = Math.ceil(to / step) * step
  let length = Math.max(from, fstatSync(file).size)
  try {
    while (length < end) {
      length += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, end - length), length)
    }
  } catch (error) {
    if (length < to || !isFull(error)) throw refusal(error as Error)
  }
  return length
}

const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DISK_FULL_CODES.has(error.code)
}
