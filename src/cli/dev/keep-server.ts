import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../../base/config/node-flags.ts'
import { isRecord } from '../../base/is-record.ts'

const SERVER = fileURLToPath(new URL('serve.js', import.meta.url))
/** A server that does not end on SIGTERM is killed. */
const KILL_MS = 8_000

export interface ServedFolders {
  readonly dataDir: string
  readonly contentTypesDir: string
}

export interface KeptServer {
  restart(): void
  stop(): Promise<number>
}

export interface KeepOptions {
  readonly say: (message: string) => void
  readonly onFolders: (folders: ServedFolders) => void
  /** The program of the server, replaced by tests. */
  readonly program?: string
}

/** Starts the server of a project. A server that ends by itself waits for the next restart. */
export function keepServer({ say, onFolders, program = SERVER }: KeepOptions): KeptServer {
  let server: ChildProcess | null = null
  let isRestarting = false
  let onStopped: ((status: number) => void) | null = null

  const start = (): void => {
    // The terminal sends Ctrl+C to its whole process group. The server must get the signal once, from this process.
    const child = spawn(process.execPath, [...NODE_FLAGS, program], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: process.platform !== 'win32',
    })
    server = child
    child.on('message', (message) => {
      if (isServedFolders(message)) onFolders(message)
    })
    child.on('exit', (code) => {
      server = null
      if (onStopped !== null) onStopped(code ?? 1)
      else if (isRestarting) {
        isRestarting = false
        start()
      } else say('the server has ended; waits for a change of a file')
    })
  }

  start()
  return {
    restart: () => {
      if (onStopped !== null) return
      say('a file has changed; restarts')
      if (server === null) {
        start()
        return
      }
      if (!isRestarting) end(server)
      isRestarting = true
    },
    stop: () => {
      const stopped = new Promise<number>((resolve) => {
        onStopped = resolve
      })
      if (server === null) onStopped?.(0)
      else if (!isRestarting) end(server)
      return stopped
    },
  }
}

function end(server: ChildProcess): void {
  server.kill('SIGTERM')
  const late = setTimeout(() => server.kill('SIGKILL'), KILL_MS)
  server.once('exit', () => clearTimeout(late))
}

function isServedFolders(message: unknown): message is ServedFolders {
  return (
    isRecord(message) &&
    typeof message['dataDir'] === 'string' &&
    typeof message['contentTypesDir'] === 'string'
  )
}
