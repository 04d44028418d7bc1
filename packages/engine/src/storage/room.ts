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
 * Room in a file of LMDB, taken from the disk before it is written to. When the system refuses a write of
 * its own, lmdb 3.5.6 tells so in a buffer that is too short for it (`last_error` in its mdb.c), which breaks
 * the memory of the process. So it writes only where blocks are: the file is longer than what it uses.
 */
export interface Room {
  /** At the start of each write. @throws CommandError FileStreamFailed when the file takes no more. */
  begin(): void
  /** Whether something can be written to the disk itself. */
  takesWrites(): boolean
  /**
   * For so many bytes more on so many pages that the write may not have touched yet.
   * @throws CommandError OutOfDiskSpace, FileStreamFailed
   */
  claim(bytes: number, pages: number): void
  close(): void
}

const PAGE_BYTES = 4096
/** Roots, descriptions of tables, and pages that are freed. */
const BASE_BYTES = 16 * PAGE_BYTES
/** What a key takes beside itself and its value. */
const NODE_BYTES = 32
/**
 * Bytes of pages for each byte that is added. LMDB splits a page so that a row of more than a third of it stands
 * alone: 3 bytes for each, and the pages above them.
 */
const PAGE_BYTES_PER_BYTE = 4
/** Taken at once, when there is need of more. */
const STEP_BYTES = 1024 * 1024
const ZEROS = Buffer.alloc(STEP_BYTES)

/**
 * `usedBytes` says up to where the file holds something that was committed. It is asked at each write: what was
 * claimed for the one before is the worst case, of which most was not needed.
 */
export function openRoom(path: string, usedBytes: () => number): Room {
  const file = openSync(path, 'r+')
  const assertWritable = writeTester(path, file)
  let used = usedBytes()
  let allocated = shrink(file, used)
  let scattered = 0
  let added = 0
  /** A write copies each existing page at most once, and adds its rows on pages that may hold a single one. */
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

/** Gives back what a file has grown beyond twice its use, and answers how long it is. */
function shrink(file: number, used: number): number {
  const allocated = fstatSync(file).size
  const end = Math.ceil((used + BASE_BYTES) / STEP_BYTES) * STEP_BYTES
  if (allocated <= 2 * end) return allocated
  try {
    ftruncateSync(file, end)
  } catch {
    // Windows keeps a file that is mapped as long as it is.
    return allocated
  }
  return end
}

/**
 * A test that there still is a file and that it can be written to, before LMDB does: what is written to a file
 * that was removed is lost with the process. It writes the first byte again, which never changes.
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

/** Whether a file can be written to, and the disk itself behind it. */
export function takesWrites(path: string): boolean {
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

/** What the disk answers. @throws CommandError OutOfDiskSpace, FileStreamFailed */
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

/** Makes a file at least so long. @throws CommandError OutOfDiskSpace, FileStreamFailed */
export function reserve(path: string, bytes: number): void {
  const file = openSync(path, 'r+')
  try {
    extend(file, { from: fstatSync(file).size, to: bytes, step: PAGE_BYTES })
  } finally {
    closeSync(file)
  }
}

/** The length afterwards: `to`, or up to the end of the step if that much can be had. */
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

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(error.code)
}
