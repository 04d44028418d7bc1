import { closeSync, constants, openSync, readSync } from 'node:fs'
import { CommandError } from '../errors.ts'

/** Where the first page of a file of LMDB says what it is. */
const MAGIC_AT = 24
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe])

const { O_CREAT, O_RDONLY, O_RDWR } = constants

/**
 * Asks for what LMDB needs of a file and its lock before LMDB does: lmdb 3.5.6 breaks the process when it
 * cannot open them (`closeEnv` in its env.cpp uses what `openEnv` has freed).
 * @throws Error of the system; CommandError UnsupportedFormat for what is no file of LMDB
 */
export function checkFile(path: string, readOnly = false): void {
  const flags = readOnly ? O_RDONLY : O_RDWR | O_CREAT
  if (!readOnly) closeSync(openSync(`${path}-lock`, flags, 0o600))
  const file = openSync(path, flags, 0o600)
  try {
    const start = Buffer.alloc(MAGIC_AT + MAGIC.length)
    const length = readSync(file, start, 0, start.length, 0)
    if (length === 0 || start.subarray(MAGIC_AT, length).equals(MAGIC)) return
    throw new CommandError('UnsupportedFormat', `${path} is no database`)
  } finally {
    closeSync(file)
  }
}
