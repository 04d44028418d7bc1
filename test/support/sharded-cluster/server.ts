import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Document, MongoClient, MongoError } from 'mongodb'

export interface ClusterServer {
  readonly name: string
  readonly address: string
  /** Stops the process, and kills it after five seconds. */
  stop(): Promise<void>
  /** @throws Error if the server has ended, does not respond in time, or refuses the command */
  command(command: Document): Promise<Document>
  /**
   * Polls `hello` until the reply satisfies `isReady`.
   * @throws Error after the time limit
   */
  until(isReady: (hello: Document) => boolean): Promise<void>
}

export interface ServerStart {
  readonly name: string
  readonly binary: string
  readonly args: readonly string[]
  readonly port: number
  /** Receives stdout and stderr. */
  readonly logFile: string
  readonly signal: AbortSignal
}

const READY_MS = 60_000
const STOP_MS = 5_000
const POLL_MS = 100

/** Starts a server on loopback without waiting until it listens. */
export function startClusterServer(start: ServerStart): ClusterServer {
  const { name, binary, port, logFile, signal } = start
  const log = openSync(logFile, 'a')
  const child = spawn(binary, [...start.args, '--port', String(port), '--bind_ip', '127.0.0.1'], {
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended = once(child, 'exit').catch(() => []) // a binary that cannot run never listens
  const hasEnded = (): boolean =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const address = `127.0.0.1:${port}`
  const command = async (asked: Document): Promise<Document> => {
    const client = new MongoClient(`mongodb://${address}/?directConnection=true`, {
      serverSelectionTimeoutMS: 2_000,
    })
    try {
      return await client.db('admin').command(asked)
    } finally {
      await client.close()
    }
  }
  return {
    name,
    address,
    command,
    until: async (isReady) => {
      const end = Date.now() + READY_MS
      for (;;) {
        signal.throwIfAborted()
        if (hasEnded()) throw new Error(`${name} ended: ${lastLine(logFile)}`)
        if (Date.now() > end) throw new Error(`${name} was not ready in ${READY_MS / 1_000} s`)
        const hello = await command({ hello: 1 }).catch(onlyDatabaseErrors)
        if (hello !== null && isReady(hello)) return
        await delay(POLL_MS)
      }
    },
    stop: async () => {
      if (hasEnded()) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(late)
    },
  }
}

/** The server does not listen yet, or is not ready. */
function onlyDatabaseErrors(error: unknown): null {
  if (error instanceof MongoError) return null
  throw error
}

function lastLine(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').at(-1) ?? ''
}
