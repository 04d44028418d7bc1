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
 * Allocates disk space in the LMDB file before LMDB writes to it. When a write of lmdb 3.5.6 fails,
 * its error message overflows a buffer (`last_error` in its mdb.c) and corrupts the memory of the
 * process. So LMDB only writes to allocated blocks: the file is longer than its used part.
 */
export interface DiskSpace {
  /**
   * Must be called at the start of each write.
   * @throws CommandError FileStreamFailed if the file is not writable
   */
  begin(): void
  takesWrites(): boolean
  /**
   * Allocates space for more bytes, on pages that the write may not have touched yet.
   * @throws CommandError OutOfDiskSpace, FileStreamFailed
   */
  claim(bytes: number, pages: number): void
  close(): void
}

const PAGE_BYTES = 4096
/** Roots, table descriptions and freed pages. */
const BASE_BYTES = 16 * PAGE_BYTES
/** Overhead per key. */
const NODE_BYTES = 32
/**
 * Bytes of pages per added byte. LMDB splits pages so that a row larger than a third of a page may
 * fill one alone: 3 bytes per byte, plus the branch pages.
 */
const PAGE_BYTES_PER_BYTE = 4
/** Size of one allocation. */
const STEP_BYTES = 1024 * 1024
const ZEROS = Buffer.alloc(STEP_BYTES)

/**
 * `usedBytes` returns the end of the committed data. It is called at each write, because the last
 * claim was a worst case and mostly unused.
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
 * Tests that the file still exists and is writable before LMDB writes. Data written to a removed
 * file would be lost at exit. The test rewrites the first byte, which never changes.
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

/**
 * Extends a file to a minimum length.
 * @throws CommandError OutOfDiskSpace, FileStreamFailed
 */
export function reserveSpace(path: string, bytes: number): void {
  const file = openSync(path, 'r+')
  try {
    extend(file, { from: fstatSync(file).size, to: bytes, step: PAGE_BYTES })
  } finally {
    closeSync(file)
  }
}

/** Returns the new length: the end of the step, or `to` if the disk has no room for more. */
function extend(
  file: number,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: number },
): number {
  const end = Math.ceil(to / step) * step
  let length = from
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
