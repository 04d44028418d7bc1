import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '../../support/until.ts'

const MAX_WAIT_MS = 90_000
const STOP_MS = 10_000

export interface RunningScript {
  readonly address: string
  readonly output: () => string
  /** Sends SIGTERM to npm only, and expects that the server ends and logs it. */
  stop(): Promise<void>
}

/** The processes of a test, killed with their groups after a failure. */
const running = new Set<ChildProcess>()

export function killScripts(): void {
  for (const { pid, exitCode } of running) {
    if (pid === undefined || exitCode !== null) continue
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  running.clear()
}

/** Runs a program in a folder until its server listens. */
export async function startScript(
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunningScript> {
  const [program, ...args] = command
  const child = spawn(program, args, { cwd, env, stdio: 'pipe', detached: true })
  running.add(child)
  let output = ''
  const add = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  await until(
    () => output.includes('Quire listens on') || child.exitCode !== null,
    MAX_WAIT_MS,
    () => output,
  )
  const address = /Quire listens on (http:\/\/[\d.:]+)/.exec(output)?.[1] ?? ''
  expect(address, output).to.not.equal('')
  return {
    address,
    output: () => output,
    stop: async () => {
      const began = performance.now()
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
      await until(
        () => output.includes('Stopped after'),
        STOP_MS,
        () => output,
      )
      expect(performance.now() - began, output).to.be.below(STOP_MS)
      expect(output).to.match(/SIGTERM: stopping; waits for/)
      const isFree = await fetch(address).then(
        () => false,
        () => true,
      )
      expect(isFree, 'the port is free').to.equal(true)
    },
  }
}

/** The sum of the sizes of all files, in MB. */
export function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) => lstatSync(join(entry.parentPath, entry.name)).size)
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000
}
