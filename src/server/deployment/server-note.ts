import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deployment } from './deployment.ts'
import { isProcessAlive } from './process-alive.ts'

export interface ServerNote {
  readonly pid: number
  /** Without credentials: `127.0.0.1:27017/quire`. */
  readonly database: string
}

const FILE = 'server.json'

export function describeDatabase({ uri }: Pick<Deployment, 'uri'>, name: string): string {
  return `${hostsOf(uri)}/${name}`
}

export function hostsOf(uri: string): string {
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(uri)?.[1] ?? ''
  return decodeURIComponent(authority.slice(authority.lastIndexOf('@') + 1))
}

/** Returns a function that removes the note, unless a later server has replaced it. */
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

/** The note is optional, for example on a read-only disk. A stale one names a process that has ended. */
async function wherePossible(change: () => Promise<void>): Promise<void> {
  await change().catch(() => undefined)
}

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
