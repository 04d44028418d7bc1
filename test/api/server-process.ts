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

/** The real server in a process of its own, listening on a free port of this machine. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const started = performance.now()
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      ROOT_API_TOKEN: ROOT_TOKEN,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const { base, log } = await addressOf(child)
  return {
    base,
    startLog: log,
    startedInMs: performance.now() - started,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop: async () => {
      child.kill('SIGTERM')
      return (await exited)[0]
    },
  }
}

async function addressOf(
  child: ChildProcess,
): Promise<{ readonly base: string; readonly log: readonly string[] }> {
  const output: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  if (child.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line)
    const address = /listens on (http:\/\/[^;\s]+)/.exec(line)?.[1]
    if (address !== undefined) {
      child.stdout.resume()
      return { base: address, log: output }
    }
  }
  throw new Error(`the server ended before it listened:\n${output.join('\n')}`)
}
