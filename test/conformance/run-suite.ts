import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { MongoClient } from 'mongodb'
import { type DescribingProxy, openDescribingProxy } from './describing-proxy.ts'
import { mergeDeviations } from './merge-deviations.ts'

const SERVER = fileURLToPath(new URL('../../src/server/main.js', import.meta.url))

export interface SuiteRun {
  readonly suite: string
  readonly ownDeviations: string
  /** Appended to the default options of the runner. The last value of an option counts. */
  readonly options: readonly string[]
  /** Ends the run early and cleans up. */
  readonly signal: AbortSignal
}

/** Returns the exit status: 0 if every case passed and every exchange matched the description. */
export async function runSuite(run: SuiteRun): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quire-conformance-'))
  const database = `quire_conformance_${randomBytes(4).toString('hex')}`
  const token = randomBytes(24).toString('hex')
  const server = startServer(run.suite, folder, database, token)
  const end = (): void => void server.kill()
  let proxy: DescribingProxy | null = null
  run.signal.addEventListener('abort', end)
  try {
    const base = await addressOf(server)
    const tokens = path.join(folder, 'tokens.json')
    const deviations = path.join(folder, 'deviations.json')
    const known = mergeDeviations([path.join(run.suite, 'deviations.json'), run.ownDeviations])
    await writeFile(deviations, JSON.stringify(known))
    proxy = await openDescribingProxy(base, token)
    const { address } = proxy
    const script = (name: string, ...args: readonly string[]): Promise<number> =>
      runNode([path.join(run.suite, name), '--base', address, ...args], run.signal)
    if ((await script('prepare.mjs', '--root-token', token, '--out', tokens)) !== 0) {
      throw new Error('the server could not be prepared')
    }
    const files = ['--tokens', tokens, '--deviations', deviations]
    const more = ['--quiet', '--areas-report', ...run.options]
    const status = await script('run.mjs', '--check', ...files, ...more)
    return isDescribed(proxy) ? status : Math.max(status, 1)
  } finally {
    proxy?.close()
    run.signal.removeEventListener('abort', end)
    await stop(server)
    await dropDatabase(database)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Prints the exchanges that violate the description. Returns true if there are none. */
function isDescribed(proxy: DescribingProxy): boolean {
  const { checked, outside, problems } = proxy.report()
  const left = Object.entries(outside).map(([why, count]) => `${count} ${why}`)
  console.log(`description: ${checked} exchanges checked, not in it: ${left.join(', ') || 'none'}`)
  for (const problem of problems) console.log(`description: ${problem}`)
  return problems.length === 0
}

// Follows the README of the suite. The working directory is a temporary folder, so that the server
// reads no `.env` file.
function startServer(suite: string, folder: string, database: string, token: string): ChildProcess {
  return spawn(process.execPath, ['--enable-source-maps', SERVER], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      RATE_LIMIT: 'off',
      CONTENT_TYPES_DIR: path.join(suite, 'content-types'),
      ROOT_API_TOKEN: token,
      QUIRE_DATA_DIR: path.join(folder, 'data'),
      MONGODB_DATABASE: database,
      ...(deployment() === undefined
        ? { QUIRE_DATABASE: 'embedded' }
        : { QUIRE_DATABASE: 'uri', MONGODB_URI: deployment() }),
    },
  })
}

function deployment(): string | undefined {
  const uri = process.env['MONGODB_URI']
  return uri === '' ? undefined : uri
}

// Reads the whole log, to print warnings after the start-up line.
async function addressOf(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('the server has no output')
  const lines = createInterface({ input: server.stdout })
  return new Promise((resolve, reject) => {
    const seen: string[] = []
    lines.on('line', (line) => {
      const [, address, reason] =
        /listens on (http:\/\/[^;\s]+); database: ([^"]*)/.exec(line) ?? []
      if (address === undefined) seen.push(line)
      else {
        console.log(`database: ${reason}`)
        seen.length = 0
        resolve(address)
      }
    })
    server.once('exit', () => {
      reject(new Error(`the server ended before it listened\n${seen.join('\n')}`))
    })
  })
}

async function runNode(args: readonly string[], signal: AbortSignal): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit', signal, killSignal: 'SIGTERM' })
  child.on('error', () => undefined)
  const [status] = (await once(child, 'close')) as [number | null]
  return status ?? 1
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill()
  await exited
}

async function dropDatabase(name: string): Promise<void> {
  const uri = deployment()
  if (uri === undefined) return
  const client = new MongoClient(uri)
  await client.db(name).dropDatabase()
  await client.close()
}
