import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

/** A database server of this test, which writes to the disk before it acknowledges. */
export interface DocumentDb {
  readonly uri: string
  /** Kills the server. Its clients fail until it is started again. */
  crash(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Separate from everything else on this machine, because it is killed. */
const ENVIRONMENT = {
  ...process.env,
  DURABLE: '1',
  DOCUMENTDB_ROOT: path.join(homedir(), '.cache/documentdb-faults'),
  DOCUMENTDB_PORT: '27118',
  DOCUMENTDB_PG_PORT: '9812',
}

/** The exit status of `up.sh` if the server is not available. */
const NOT_TO_BE_HAD = 75

/**
 * Starts the server by the scripts in a folder: `up.sh`, `crash.sh`, `down.sh`. Null if it is not
 * available.
 */
export async function startDocumentDb(scripts: string): Promise<DocumentDb | null> {
  const run = async (script: string): Promise<string> => {
    const file = path.join(scripts, script)
    const { stdout } = await promisify(execFile)('bash', [file], { env: ENVIRONMENT })
    return stdout.trim().split('\n').at(-1) ?? ''
  }
  try {
    return {
      uri: await run('up.sh'),
      crash: async () => void (await run('crash.sh')),
      start: async () => void (await run('up.sh')),
      stop: async () => void (await run('down.sh')),
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === NOT_TO_BE_HAD) return null
    throw error
  }
}
