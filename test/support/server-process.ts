import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/server/main.js', import.meta.url))

export const ROOT_TOKEN = 'a-root-token-for-tests-of-whole-processes'

export interface ServerProcess {
  readonly base: string
  /** Duration of the start, until the server listened. */
  readonly startedInMs: number
  /** Log lines until the server listened. */
  readonly startLog: readonly string[]
  readonly pid: number
  /** Unexpected output: log lines at level error and above, and all other output on stderr. */
  readonly complaints: readonly string[]
  /** The last lines of the log, for the report of a failing test. */
  readonly lastLines: readonly string[]
  /** The exit status after the end of the process, or null if a signal ended it. */
  readonly ended: Promise<number | null>
  signal(name: NodeJS.Signals): void
  /** Kills the process, like a power cut. */
  kill(): Promise<void>
  /** Stops the process like an operator does. Returns the exit status. */
  stop(): Promise<number | null>
}

/** Writes these content-types and components to a new folder, by the path of their file. */
export function writeContentTypes(types: Readonly<Record<string, object>>): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-types-'))
  for (const [name, definition] of Object.entries(types)) {
    const file = path.join(directory, `${name}.json`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(definition))
  }
  return directory
}

export interface ServerProcessOptions {
  /** Options of Node, such as a module to load first. */
  readonly nodeOptions?: readonly string[]
  /** Wraps the command. The wrapper must run it in the started process itself. */
  readonly within?: (command: readonly string[]) => readonly string[]
  /** A project, whose `quire.config.mjs` the server loads. */
  readonly cwd?: string
}

/** Starts the real server in its own process, on a free local port. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
  { nodeOptions = [], within = (command) => command, cwd }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const started = performance.now()
  const [file = '', ...words] = within([
    process.execPath,
    '--enable-source-maps',
    ...nodeOptions,
    MAIN,
  ])
  const child = spawn(file, words, {
    ...(cwd !== undefined && { cwd }),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      ROOT_API_TOKEN: ROOT_TOKEN,
      SLOW_REQUEST_MS: '0', // any request may be slow on a loaded machine
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit').then(([status]) => status as number | null)
  const complaints: string[] = []
  const lastLines: string[] = []
  const { base, log } = await addressOf(child, { complaints, lastLines })
  return {
    base,
    lastLines,
    startLog: log,
    startedInMs: performance.now() - started,
    pid: child.pid ?? 0,
    complaints,
    ended,
    signal: (name) => child.kill(name),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

interface Started {
  readonly base: string
  /** Log lines until the server listened. */
  readonly log: readonly string[]
}

const MOST_LINES = 200

interface Heard {
  readonly complaints: string[]
  readonly lastLines: string[]
}

/** Reads the output of the process until it ends. Resolves when the server listens. */
function addressOf(child: ChildProcess, { complaints, lastLines }: Heard): Promise<Started> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('no output')
  return new Promise((resolve, reject) => {
    const log: string[] = []
    let listens = false
    const keep = (line: string): void => {
      lastLines.push(line)
      if (lastLines.length > MOST_LINES) lastLines.shift()
    }
    createInterface({ input: stderr }).on('line', (line) => {
      keep(line)
      complaints.push(line)
      log.push(line)
    })
    createInterface({ input: stdout }).on('line', (line) => {
      keep(line)
      if (isError(line)) complaints.push(line)
      if (listens) return
      log.push(line)
      const address = /listens on (http:\/\/[^;\s]+)/.exec(line)?.[1]
      if (address === undefined) return
      listens = true
      resolve({ base: address, log })
    })
    child.once('error', reject)
    child.once('close', () => {
      reject(new Error(`the server ended before it listened:\n${log.join('\n')}`))
    })
  })
}

function isError(line: string): boolean {
  return /^\{"level":"(error|fatal)"/.test(line)
}
