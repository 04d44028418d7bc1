import { closeSync, constants, existsSync, openSync, readSync, rmSync } from 'node:fs'
import { CommandError } from '../errors.ts'

/** Offset of the magic number in an LMDB file. */
const MAGIC_AT = 24
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe])

const { O_CREAT, O_RDONLY, O_RDWR } = constants

export interface FileUse {
  readonly readOnly?: boolean
  /** Processes that start at the same time all open the file, so it may still be empty. */
  readonly isShared?: boolean
}

/**
 * lmdb 3.5.6 crashes the process if it cannot open the file (`closeEnv` in its env.cpp uses freed
 * memory).
 * @throws Error of the system; CommandError UnsupportedFormat if the file is empty or foreign
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
    // LMDB writes to a new file at once, so an empty file would look like lost data.
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

/** LMDB would start a new database in the file and hide the loss. */
function emptied(path: string): CommandError {
  return new CommandError(
    'UnsupportedFormat',
    `${path} is empty: what it held is lost. Put a copy of it there, or remove it to begin without content`,
  )
}
