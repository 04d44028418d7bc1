import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findBinaries } from './find-binaries.ts'
import { startCluster } from './start-cluster.ts'

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** A program with arguments. It runs with `MONGODB_URI` set to the mongos. */
  readonly command: readonly [string, ...string[]]
  /** Aborting it ends the command and the cluster. */
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

/** EX_TEMPFAIL of `sysexits.h`: cannot run on this machine. */
export const CANNOT_RUN = 75

/** Runs a command on a temporary cluster, which is always removed. Returns the exit status. */
export async function runOnCluster({ env, command, signal, say }: RunOptions): Promise<number> {
  const binaries = await findBinaries(env)
  if ('missing' in binaries) {
    const where = env['MONGODB_BIN']
      ? `in ${env['MONGODB_BIN']}`
      : 'on the PATH, nor is MONGODB_BIN set'
    say(`There is no ${binaries.missing.join(' and no ')} ${where}: nothing was run.`)
    return CANNOT_RUN
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-sharded-'))
  try {
    const cluster = await startCluster({ binaries, folder, signal, say })
    try {
      return await run(
        command,
        { ...env, MONGODB_URI: cluster.uri, QUIRE_TEST_SHARD: 'on' },
        signal,
      )
    } finally {
      await cluster.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function run(
  [program, ...args]: RunOptions['command'],
  env: RunOptions['env'],
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted()
  const child = spawn(program, args, { env, stdio: 'inherit' })
  const end = (): void => void child.kill('SIGTERM')
  signal.addEventListener('abort', end)
  try {
    const [status] = (await once(child, 'exit')) as [number | null]
    return status ?? 1
  } finally {
    signal.removeEventListener('abort', end)
  }
}
