import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))

export const ROOT_TOKEN = 'a-root-token-for-tests-of-whole-processes'

export interface ServerProcess {
  readonly base: string
  /** How long the start took, until the server listened. */
  readonly startedInMs: number
  /** What it logged until then. */
  readonly startLog: readonly string[]
  readonly pid: number
  /** What no server should say: lines of the log at error and above, and whatever else it wrote to stderr. */
  readonly complaints: readonly string[]
  /** The last lines of its log, for the report of a test that fails. */
  readonly lastLines: readonly string[]
  /** The exit status, once it has ended; null when a signal ended it. */
  readonly ended: Promise<number | null>
  signal(name: NodeJS.Signals): void
  /** Ends the process at once, as a power cut would. */
  kill(): Promise<void>
  /** Ends it as an operator would; answers the exit status. */
  stop(): Promise<number | null>
}

/** A folder with these content-types and components, by the path of their file. */
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
  /** Options of Node, such as a module that is loaded first. */
  readonly nodeOptions?: readonly string[]
  /** What the command becomes part of; it must run in the process that is started. */
  readonly within?: (command: readonly string[]) => readonly string[]
}

/** The real server in a process of its own, listening on a free port of this machine. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
  { nodeOptions = [], within = (command) => command }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const started = performance.now()
  const [file = '', ...words] = within([
    process.execPath,
    '--enable-source-maps',
    ...nodeOptions,
    MAIN,
  ])
  const child = spawn(file, words, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      ROOT_API_TOKEN: ROOT_TOKEN,
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
  /** Until it listened. */
  readonly log: readonly string[]
}

const MOST_LINES = 200

interface Heard {
  readonly complaints: string[]
  readonly lastLines: string[]
}

/** Reads what the process says for as long as it lives; answers as soon as it listens. */
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
