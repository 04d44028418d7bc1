import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { checkFile } from './storage/check-file.ts'
import { reserve } from './storage/room.ts'

// Who owns a folder stands in a small LMDB file of its own. Its write transaction is a lock between processes that
// the system lets go when a process dies, so that asking who owns the folder and taking it is one step.

/** A process, such that another one with the same number is not taken for it. */
interface Owner {
  readonly pid: number
  readonly birth: string
  readonly nonce: string
  /** Where the owner can be reached; null until it listens. */
  readonly uri: string | null
}

export type Claim =
  | { readonly role: 'owner'; announce(uri: string): void; release(): Promise<void> }
  | { readonly role: 'guest'; readonly uri: string | null; readonly pid: number }

// Field 22 of /proc/<pid>/stat; the name in field 2 may hold spaces and brackets.
function birthOnLinux(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A process that died but was not waited for still has its number.
  if (fields[0] === 'Z' || fields[0] === 'X') throw new Error('dead')
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`
}

/** When a process was born; null when there is none of this number. */
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

/** More than one record takes, however often it is written. */
const FILE_BYTES = 64 * 1024

/** The record, open: nobody writes it while a step runs. */
interface OwnerRecord {
  /** `next` is what it becomes, or undefined to leave it. */
  step<T>(work: (owner: Owner | undefined) => { result: T; next?: Owner | null }): T
  close(): Promise<void>
}

function openRecord(directory: string): OwnerRecord {
  const path = recordPath(directory)
  checkFile(path, { isShared: true })
  const file = open<Owner, string>({
    path,
    encoding: 'json',
    maxReaders: 1024,
  })
  return {
    step: (work) =>
      file.transactionSync(() => {
        reserve(path, FILE_BYTES) // under the lock: others may be writing where it does
        const { result, next } = work(file.get(KEY))
        if (next === null) file.removeSync(KEY)
        else if (next) file.putSync(KEY, next)
        return result
      }),
    close: () => file.close(),
  }
}

/**
 * Takes the folder, unless a living process has it. An owner keeps the record open: the last process to close
 * a file of LMDB (3.5.6) makes its locks useless, also for one that is opening it at that moment, which then
 * fails with "No transaction to renew" however often it tries.
 */
export async function claimFolder(directory: string): Promise<Claim> {
  const mine: Owner = {
    pid: process.pid,
    birth: birthOf(process.pid) ?? 'unknown',
    nonce: randomUUID(),
    uri: null,
  }
  const record = openRecord(directory)
  let other: Owner | null
  try {
    other = record.step((owner) => {
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
  const ifMine = (next: Owner | null): void => {
    record.step((owner) => ({
      result: undefined,
      ...(owner?.nonce === mine.nonce && { next }),
    }))
  }
  return {
    role: 'owner',
    announce: (uri) => ifMine({ ...mine, uri }),
    release: async () => {
      try {
        if (existsSync(recordPath(directory))) ifMine(null)
      } finally {
        await record.close()
      }
    },
  }
}
