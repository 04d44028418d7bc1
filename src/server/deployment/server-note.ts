import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deployment } from './deployment.ts'
import { isProcessAlive } from './process-alive.ts'

/** The server that runs on a data folder, as it noted itself there. */
export interface ServerNote {
  readonly pid: number
  /** Hosts and name of its database, without credentials: `127.0.0.1:27017/quire`. */
  readonly database: string
}

const FILE = 'server.json'

/** Hosts and name of a database, without credentials. */
export function describeDatabase({ uri }: Pick<Deployment, 'uri'>, name: string): string {
  return `${hostsOf(uri)}/${name}`
}

/** The hosts of a connection string, without its credentials. */
export function hostsOf(uri: string): string {
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(uri)?.[1] ?? ''
  return decodeURIComponent(authority.slice(authority.lastIndexOf('@') + 1))
}

/**
 * Notes which database this server uses, so that `quire doctor` can compare its own.
 * @returns the function that removes the note; it leaves the note of a server that started later
 */
export async function writeServerNote(
  dataDir: string,
  database: string,
): Promise<() => Promise<void>> {
  const file = join(dataDir, FILE)
  const note: ServerNote = { pid: process.pid, database }
  await wherePossible(async () => {
    await mkdir(dataDir, { recursive: true })
    await writeFile(file, JSON.stringify(note))
  })
  return async () => {
    if ((await parseNote(file))?.pid === process.pid)
      await wherePossible(() => rm(file, { force: true }))
  }
}

/** A disk may be read-only, full or broken: nothing else depends on the note, and one that stays names a process that has ended. */
async function wherePossible(change: () => Promise<void>): Promise<void> {
  await change().catch(() => undefined)
}

/** The note of a server that still runs; null without one. */
export async function readServerNote(dataDir: string): Promise<ServerNote | null> {
  const note = await parseNote(join(dataDir, FILE))
  return note !== null && isProcessAlive(note.pid) ? note : null
}

async function parseNote(file: string): Promise<ServerNote | null> {
  try {
    const parsed = JSON.parse(await readFile(file, 'utf8')) as Partial<ServerNote>
    const { pid, database } = parsed
    return Number.isInteger(pid) && typeof database === 'string'
      ? { pid: Number(pid), database }
      : null
  } catch {
    return null
  }
}
