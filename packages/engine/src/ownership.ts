import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { RootDatabase } from 'lmdb'
import { diskFault } from './errors.ts'
import { checkFile } from './storage/check-file.ts'
import { reserveSpace } from './storage/disk-space.ts'
import { startsFromNewest } from './storage/newest-commit.ts'

// An LMDB write transaction is a lock that the system releases when a process dies, so reading the
// owner and claiming the folder is one step.

/** Identifies a process even if its number is reused. */
interface Owner {
  readonly pid: number
  readonly birth: string
  readonly nonce: string
  readonly uri: string | null
}

export type FolderClaim =
  | { readonly role: 'owner'; announce(uri: string): Promise<void>; release(): Promise<void> }
  | { readonly role: 'guest'; readonly uri: string | null; readonly pid: number }

// Field 22 of /proc/<pid>/stat. The name in field 2 may contain spaces and brackets.
function birthOnLinux(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A zombie process still has its number.
  if (fields[0] === 'Z' || fields[0] === 'X') throw new Error('dead')
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`
}

function birthOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return birthOnLinux(pid)
    if (process.platform === 'win32') {
      process.kill(pid, 0)
      return 'running'
    }
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        env: { LC_ALL: 'C', PATH: process.env['PATH'] },
      }).trim() || null
    )
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'running' : null
  }
}

function isAlive(owner: Owner): boolean {
  return birthOf(owner.pid) === owner.birth
}

const KEY = 'owner'

function recordPath(directory: string): string {
  return join(directory, 'owner.mdb')
}

/** More than one record needs, however often it is rewritten. */
const FILE_BYTES = 64 * 1024

/** How often other processes may open the record at the moment of a commit. */
const MAX_TRIES = 100

interface OwnerRecord {
  /** `next` replaces the owner. `undefined` keeps it, null removes it. */
  step<T>(work: (owner: Owner | undefined) => { result: T; next?: Owner | null }): Promise<T>
  close(): Promise<void>
}

function openRecord(directory: string): OwnerRecord {
  const path = recordPath(directory)
  checkFile(path, { isShared: true })
  const openFile = (): RootDatabase<Owner, string> =>
    open<Owner, string>({ path, encoding: 'json', maxReaders: 1024 })
  let file = openFile()
  return {
    step: async (work) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const done = file.transactionSync(() => {
          if (!startsFromNewest(file)) return null
          reserveSpace(path, FILE_BYTES) // under the lock, because other processes may be writing
          const { result, next } = work(file.get(KEY))
          if (next === null) file.removeSync(KEY)
          else if (next) file.putSync(KEY, next)
          return { result }
        })
        if (done) return done.result
        await file.close()
        file = openFile() // which stores the number of the last commit again
      }
      throw diskFault('another process hid the last commit')
    },
    close: () => file.close(),
  }
}

/**
 * The owner keeps the record open: the last process that closes an LMDB file (3.5.6) invalidates
 * its locks, even for a process that is just opening it ("No transaction to renew").
 */
export async function claimFolder(directory: string): Promise<FolderClaim> {
  const mine: Owner = {
    pid: process.pid,
    birth: birthOf(process.pid) ?? 'unknown',
    nonce: randomUUID(),
    uri: null,
  }
  const record = openRecord(directory)
  let other: Owner | null
  try {
    other = await record.step((owner) => {
      if (owner && isAlive(owner)) return { result: owner }
      return { result: null, next: mine }
    })
  } catch (error) {
    await record.close()
    throw error
  }
  if (other) {
    await record.close()
    return { role: 'guest', uri: other.uri, pid: other.pid }
  }
  const ifMine = (next: Owner | null): Promise<void> =>
    record.step((owner) => ({
      result: undefined,
      ...(owner?.nonce === mine.nonce && { next }),
    }))
  return {
    role: 'owner',
    announce: (uri) => ifMine({ ...mine, uri }),
    release: async () => {
      try {
        if (existsSync(recordPath(directory))) await ifMine(null)
      } finally {
        await record.close()
      }
    },
  }
}
