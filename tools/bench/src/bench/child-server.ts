import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server in its own process, on a free loopback port. */
export interface ChildServer {
  readonly base: string
  readonly startedInMs: number
  usage(): Promise<ProcessUsage>
  /**
   * Sends a message to the process and returns its reply. Needs a script preloaded into the server.
   */
  ask(message: string): Promise<unknown>
  pause(): void
  resume(): void
  stop(): Promise<void>
}

export interface ProcessUsage {
  /** User and system time since the start. */
  readonly cpuMs: number
  readonly residentBytes: number
}

const ANSWER_MS = 30_000

/**
 * Starts a script that prints `listens on ADDRESS` and serves `/metrics` in the format of
 * Prometheus.
 */
export async function startChildServer(
  script: URL,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
  cwd = process.cwd(),
): Promise<ChildServer> {
  const started = performance.now()
  const child = spawn(process.execPath, [...nodeOptions, script.pathname], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      MONITOR_COMMANDS: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const base = await addressOf(child)
  return {
    base,
    startedInMs: performance.now() - started,
    usage: () => readUsage(base),
    ask: async (message) => {
      const answered = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_MS) })
      child.send(message)
      const [answer] = (await answered) as [unknown]
      return answer
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    const address = /listens on (http:\/\/[^;\s"]+)/.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return address
  }
  throw new Error(`a server ended before it listened:\n${lines.join('\n')}`)
}

async function readUsage(base: string): Promise<ProcessUsage> {
  const text = await (await fetch(`${base}/metrics`)).text()
  const valueOf = (name: string): number => {
    const value = new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`${base}/metrics shows no ${name}`)
    return Number(value)
  }
  return {
    cpuMs: valueOf('process_cpu_seconds_total') * 1000,
    residentBytes: valueOf('process_resident_memory_bytes'),
  }
}
