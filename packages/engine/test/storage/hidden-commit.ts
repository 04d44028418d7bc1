import { openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Behind two 32-bit numbers, see `MDB_txbody` in mdb.c of lmdb 3.5.6. */
const LAST_COMMIT_AT = 8

/** Does what a process does that begins to open the file just before its last commit. */
export function hideLastCommit(directory: string, file: string): void {
  // It stays open, because closing it would release the locks of this process.
  const lock = openSync(join(directory, `${file}-lock`), 'r+')
  const number = Buffer.alloc(8)
  readSync(lock, number, 0, 8, LAST_COMMIT_AT)
  number.writeBigUInt64LE(number.readBigUInt64LE() - 1n)
  writeSync(lock, number, 0, 8, LAST_COMMIT_AT)
}
