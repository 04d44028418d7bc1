import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { CommandError } from '../errors.ts'

/** Offsets of the magic number and of the page size in an LMDB file. */
const MAGIC_AT = 24
const PAGE_BYTES_AT = 48
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe])
const HEAD_BYTES = PAGE_BYTES_AT + 4

const { O_CREAT, O_RDONLY, O_RDWR } = constants

export interface FileUse {
  readonly readOnly?: boolean
  /** Processes that start at the same time all open the file, so it may still be empty. */
  readonly isShared?: boolean
}

/**
 * lmdb 3.5.6 crashes the process if it cannot open the file (`closeEnv` in its env.cpp uses freed
 * memory). Call `endCreation` when it is open.
 * @throws Error of the system; CommandError UnsupportedFormat if the file is cut off or foreign
 */
export function checkFile(
  path: string,
  { readOnly = false, isShared = false }: FileUse = {},
): void {
  if (readOnly) return examine(path, O_RDONLY, (head) => assertComplete(path, head, false))
  const flags = O_RDWR | O_CREAT
  closeSync(openSync(`${path}-lock`, flags, 0o600))
  if (isShared) settle(path)
  if (isShared || !beginCreation(path)) {
    examine(path, flags, (head) => assertComplete(path, head, isShared))
    return
  }
  examine(path, flags, () => undefined)
  // LMDB writes to a new file at once, so an empty file would look like lost data.
  rmSync(path, { force: true })
}

function examine<T>(path: string, flags: number, work: (head: Buffer, file: number) => T): T {
  const file = openSync(path, flags, 0o600)
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    return work(head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0)), file)
  } finally {
    closeSync(file)
  }
}

/** Ends what `checkFile` began for a new file. */
export function endCreation(path: string): void {
  rmSync(markOf(path), { force: true })
}

const markOf = (path: string): string => `${path}-new`

/**
 * LMDB writes the first two pages of a new file at once. A start that fails there leaves a part of
 * them, in which nothing was stored.
 */
function beginCreation(path: string): boolean {
  if (existsSync(path)) return existsSync(markOf(path)) && isShort(path)
  writeFileSync(markOf(path), '', { mode: 0o600 })
  return true
}

const CREATION_MS = 200
const STEP_MS = 10
/** A repair takes milliseconds. One that is older was interrupted. */
const REPAIR_MS = 10_000

/**
 * Waits while another process writes the first pages of a file. Empties a file after an interrupted creation: it has no
 * content worth keeping. One process does so at a time, because another one may already use the file.
 */
function settle(path: string): void {
  const isLeft = (): boolean => existsSync(path) && isShort(path, hasMagic)
  for (let waited = 0; isLeft(); waited += STEP_MS) {
    if (waited >= CREATION_MS && alone(`${path}-repair`, () => isLeft() && truncateSync(path, 0)))
      return
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS)
  }
}

/** False if another process is doing it. */
function alone(lock: string, work: () => void): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - since > REPAIR_MS) rmSync(lock, { force: true })
    return false
  }
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
  return true
}

function isShort(path: string, suits: (head: Buffer) => boolean = () => true): boolean {
  return examine(
    path,
    O_RDONLY,
    (head, file) => suits(head) && fstatSync(file).size < 2 * pageBytesOf(head),
  )
}

function hasMagic(head: Buffer): boolean {
  return head.subarray(MAGIC_AT, MAGIC_AT + MAGIC.length).equals(MAGIC)
}

function pageBytesOf(head: Buffer): number {
  return head.length < HEAD_BYTES ? HEAD_BYTES : head.readUInt32LE(PAGE_BYTES_AT)
}

function assertComplete(path: string, head: Buffer, mayBeEmpty: boolean): void {
  if (head.length === 0) {
    if (!mayBeEmpty) throw lost(path, 'empty')
  } else if (!hasMagic(head)) {
    throw new CommandError('UnsupportedFormat', `${path} is no database`)
  } else if (!mayBeEmpty && isShort(path)) {
    throw lost(path, 'cut off')
  }
}

/** LMDB would start a new database in an empty file and hide the loss. */
function lost(path: string, state: string): CommandError {
  return new CommandError(
    'UnsupportedFormat',
    `${path} is ${state}: what it held is lost. Put a copy of it there, or remove it to begin without content`,
  )
}
