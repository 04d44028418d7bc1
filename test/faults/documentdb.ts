import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

/** A database server of this test's own, with its writes on the disk before it says that they are. */
export interface DocumentDb {
  readonly uri: string
  /** Ends it at once; what talks to it is told so until it is started again. */
  crash(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Apart from whatever else runs on this machine: it is going to be killed. */
const ENVIRONMENT = {
  ...process.env,
  DURABLE: '1',
  DOCUMENTDB_ROOT: path.join(homedir(), '.cache/documentdb-faults'),
  DOCUMENTDB_PORT: '27118',
  DOCUMENTDB_PG_PORT: '9812',
}

/** What `up.sh` ends with where the server cannot be had. */
const NOT_TO_BE_HAD = 75

/** Starts it by the scripts in a folder: `up.sh`, `crash.sh`, `down.sh`. Null where it cannot be had. */
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
