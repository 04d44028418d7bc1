import { closeSync, constants, existsSync, openSync, readSync, rmSync } from 'node:fs'
import { CommandError } from '../errors.ts'

/** Where the first page of a file of LMDB says what it is. */
const MAGIC_AT = 24
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe])

const { O_CREAT, O_RDONLY, O_RDWR } = constants

export interface FileUse {
  readonly readOnly?: boolean
  /** Processes that start at once all open it: it may be empty while another one begins it. */
  readonly isShared?: boolean
}

/**
 * Asks for what LMDB needs of a file and its lock before LMDB does: lmdb 3.5.6 breaks the process when it
 * cannot open them (`closeEnv` in its env.cpp uses what `openEnv` has freed).
 * @throws Error of the system; CommandError UnsupportedFormat for what is no file of LMDB, and
 * for an empty one
 */
export function checkFile(
  path: string,
  { readOnly = false, isShared = false }: FileUse = {},
): void {
  const flags = readOnly ? O_RDONLY : O_RDWR | O_CREAT
  if (!readOnly) closeSync(openSync(`${path}-lock`, flags, 0o600))
  const isNew = !isShared && !existsSync(path)
  const file = openSync(path, flags, 0o600)
  try {
    const start = Buffer.alloc(MAGIC_AT + MAGIC.length)
    const length = readSync(file, start, 0, start.length, 0)
    assertBegins(path, start.subarray(0, length), isNew || isShared)
  } finally {
    closeSync(file)
    // LMDB makes it and writes to it at once: an empty one has lost what it held.
    if (isNew) rmSync(path, { force: true })
  }
}

function assertBegins(path: string, start: Buffer, mayBeEmpty: boolean): void {
  if (start.length === 0) {
    if (!mayBeEmpty) throw emptied(path)
  } else if (!start.subarray(MAGIC_AT).equals(MAGIC)) {
    throw new CommandError('UnsupportedFormat', `${path} is no database`)
  }
}

/** LMDB would begin a new database in it, and nobody would hear that the old one is gone. */
function emptied(path: string): CommandError {
  return new CommandError(
    'UnsupportedFormat',
    `${path} is empty: what it held is lost. Put a copy of it there, or remove it to begin without content`,
  )
}
