import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { MongoInstance } from 'mongodb-memory-server'
import { MongoInstanceEvents } from 'mongodb-memory-server/lib/util/MongoInstance.js'
import {
  ResolveConfigVariables,
  setDefaultValue,
} from 'mongodb-memory-server/lib/util/resolveConfig.js'
import { SET_NAME } from './replica-set.ts'

// The check would run `mongod --version` again without a deadline.
setDefaultValue(ResolveConfigVariables.SYSTEM_BINARY_VERSION_CHECK, 'false')

export interface Launch {
  readonly binary: string
  readonly directory: string
  readonly port: number
  readonly deadlineMs: number
  readonly onLost: () => void
}

export interface LaunchedMongod {
  stop(): Promise<void>
}

/** Version 11.3 reports several lines as one, and parses the line about a failed start as JSON. */
class Mongod extends MongoInstance {
  readonly said: string[] = []

  protected override checkErrorInLine(chunk: string): void {
    for (const line of chunk.split('\n')) this.checkLine(line)
  }

  // A mongod that is not ready does not accept a shutdown command. Signals work.
  override stop(): Promise<boolean> {
    if (!this.isInstanceReady) this.isReplSet = false
    return super.stop()
  }

  private checkLine(line: string): void {
    try {
      super.checkErrorInLine(line)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error // a chunk ended within the JSON
    }
  }
}

/** Resolves when mongod accepts connections. On an error, no process is left running. */
export async function launchMongod(launch: Launch): Promise<LaunchedMongod> {
  const { binary, directory, port, deadlineMs } = launch
  const mongod = new Mongod({
    binary: { systemBinary: binary },
    instance: {
      port,
      ip: '127.0.0.1',
      dbPath: directory,
      replSet: SET_NAME,
      storageEngine: 'wiredTiger',
      launchTimeout: deadlineMs * 2,
    },
    // Ctrl-C in a terminal must not end the database before the requests end.
    spawn: { detached: true, windowsHide: true },
  })
  mongod.on(MongoInstanceEvents.instanceSTDERR, (line: string) => mongod.said.push(line))
  await startInTime(mongod, deadlineMs)
  let stopping = false
  mongod.once(MongoInstanceEvents.instanceClosed, () => {
    if (!stopping) launch.onLost()
  })
  return {
    async stop() {
      stopping = true
      await mongod.stop()
    },
  }
}

async function startInTime(mongod: Mongod, deadlineMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const kill = (): void => {
    mongod.mongodProcess?.kill('SIGKILL')
  }
  deadline.addEventListener('abort', kill)
  try {
    await mongod.start()
  } catch (error) {
    await mongod.stop()
    const why = deadline.aborted
      ? `it did not start within ${deadlineMs / 1000} s`
      : explain(error, mongod.said)
    throw new Error(why, { cause: error })
  } finally {
    deadline.removeEventListener('abort', kill)
  }
}

function explain(error: unknown, said: readonly string[]): string {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)]
  const last = said.at(-1)?.split('\n').at(-1)
  const what = lines.slice(0, 2).join(' ').trim()
  return last === undefined ? what : `${what}: ${last}`
}

export async function freePort(wanted: number | undefined): Promise<number> {
  return (wanted === undefined ? null : await tryPort(wanted)) ?? (await tryPort(0)) ?? 0
}

async function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => {
      resolve(null)
    })
    server.listen(port, '127.0.0.1', () => {
      const taken = (server.address() as AddressInfo).port
      server.close(() => {
        resolve(taken)
      })
    })
  })
}
