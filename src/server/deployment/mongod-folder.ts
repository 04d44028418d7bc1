import { execFile } from 'node:child_process'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isProcessAlive } from './process-alive.ts'

/** Stored next to the data folder, for the next start and for processes that share the mongod. */
export interface MongodState {
  readonly port: number
  readonly ownerPid: number
  readonly version: string
}

const TERM_MS = 15_000
const KILL_MS = 5_000

export async function readState(directory: string): Promise<MongodState | null> {
  try {
    return toState(JSON.parse(await readFile(stateFile(directory), 'utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return null
    throw error
  }
}

export async function writeState(directory: string, state: MongodState): Promise<void> {
  const file = stateFile(directory)
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, `${JSON.stringify(state)}\n`)
  await rename(fresh, file)
}

// mongod owns the content of the folder.
function stateFile(directory: string): string {
  return `${directory}.json`
}

function toState(stored: unknown): MongodState | null {
  const { port, ownerPid, version } = (stored ?? {}) as Record<string, unknown>
  const whole = Number.isSafeInteger(port) && Number.isSafeInteger(ownerPid)
  return whole ? { port: Number(port), ownerPid: Number(ownerPid), version: String(version) } : null
}

/** Null without a running mongod. A killed mongod leaves its id in `mongod.lock`, so the command line is compared. */
export async function holderOf(directory: string): Promise<number | null> {
  const text = await readFile(join(directory, 'mongod.lock'), 'utf8').catch(() => '')
  const pid = Number(text.trim())
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isProcessAlive(pid)) return null
  return (await commandLine(pid)).includes(directory) ? pid : null
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const ps = promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return ps.then(({ stdout }) => stdout).catch(() => '')
}

/** SIGTERM, then SIGKILL after 15 seconds, which is safe because of the journal. */
export async function endOrphan(pid: number): Promise<boolean> {
  return (await endBy(pid, 'SIGTERM', TERM_MS)) || (await endBy(pid, 'SIGKILL', KILL_MS))
}

async function endBy(pid: number, signal: NodeJS.Signals, deadlineMs: number): Promise<boolean> {
  try {
    process.kill(pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const end = performance.now() + deadlineMs
  while (isProcessAlive(pid) && performance.now() < end) await delay(50)
  return !isProcessAlive(pid)
}
