import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Db, MongoClient } from 'mongodb'

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))
const TOKEN = 'root-token-of-the-browser-suite'

/** A real server in a process of its own, with a database of its own. */
export interface Server {
  readonly address: string
  /** What its start printed: it makes the first administrator. */
  firstStartLink(): Promise<string>
  /** What the demo printed: it signs in. */
  signInLink(): Promise<string>
  /** As an operator, past the Studio. @throws Error for an answer that is no 2xx */
  ask(method: string, target: string, body?: unknown): Promise<Answer>
  /** Its database, as another service writes it. */
  withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Many documents at once, as lines of `_bulk`. @throws Error for a line that fails */
  bulk(lines: readonly object[]): Promise<void>
  /** Ends its process, as a deployment does. */
  goDown(): Promise<void>
  /** Starts it again, on what it has stored. */
  comeBack(): Promise<void>
  stop(): Promise<void>
}

// eslint-disable-next-line typescript/no-explicit-any -- a test reads what it expects
export type Answer = any

/** On `MONGODB_URI`, else on an embedded engine in a folder of its own. */
export async function startServer(
  env: Readonly<Record<string, string>> = {},
  script = 'dist/src/server/main.js',
  /** What browsers call it; passkeys and cookies know no IP addresses. */
  host = '127.0.0.1',
  /** The folder of the project. */
  cwd = ROOT,
): Promise<Server> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-studio-'))
  const database = `quire_test_studio_${randomBytes(4).toString('hex')}`
  const uri = process.env['MONGODB_URI']
  const port = Number(env['PORT'] ?? (await findFreePort()))
  const launch = (): ChildProcess =>
    spawn(process.execPath, ['--enable-source-maps', path.join(ROOT, script)], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOST: '127.0.0.1',
        PORT: String(port), // links name it
        PUBLIC_URL: `http://${host}:${port}`,
        ROOT_API_TOKEN: TOKEN,
        QUIRE_DATA_DIR: folder,
        MONGODB_DATABASE: database,
        RATE_LIMIT: 'off',
        SLOW_REQUEST_MS: '0',
        ...(uri !== undefined && { MONGODB_URI: uri }),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  let child = launch()
  const { linkTo } = await listening(child)
  const address = `http://${host}:${port}`
  const goDown = async (): Promise<void> => {
    const ended = once(child, 'exit')
    if (child.exitCode !== null || !child.kill('SIGTERM')) return
    await ended
  }
  return {
    address,
    firstStartLink: () => linkTo('first-start'),
    signInLink: () => linkTo('sign-in'),
    ask: (method, target, body) => ask(address + target, method, body),
    withDatabase: async (work) => {
      const client = await MongoClient.connect(uri ?? embeddedUri(folder))
      try {
        return await work(client.db(database))
      } finally {
        await client.close()
      }
    },
    bulk: (lines) => bulk(`${address}/api/_bulk`, lines),
    goDown,
    comeBack: async () => {
      child = launch()
      await listening(child)
    },
    stop: async () => {
      await goDown()
      if (uri !== undefined) await drop(uri, database)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The server writes it into the folder of its data. */
function embeddedUri(folder: string): string {
  const note = JSON.parse(readFileSync(path.join(folder, 'server.json'), 'utf8')) as {
    readonly database: string
  }
  const host = note.database.slice(0, note.database.lastIndexOf('/')) // a port, or the path of a socket
  const isSocket = host.startsWith('/')
  return `mongodb://${isSocket ? encodeURIComponent(host) : host}/?directConnection=true`
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

type LinkedPage = 'first-start' | 'sign-in'

interface Listening {
  readonly address: string
  readonly linkTo: (page: LinkedPage) => Promise<string>
}

function listening(child: ChildProcess): Promise<Listening> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('no output')
  const log: string[] = []
  const readers = new Set<(line: string) => void>()
  const read = (line: string): void => {
    log.push(line)
    for (const reader of readers) reader(line)
  }
  createInterface({ input: stdout }).on('line', read)
  createInterface({ input: stderr }).on('line', read)
  /** The first group of the first line that has the form, printed already or to come. */
  const find = (form: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (line: string): void => {
        const found = form.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      }
      for (const line of log) look(line)
      readers.add(look)
      child.once('close', () => reject(new Error(`the server has ended:\n${log.join('\n')}`)))
    })
  return find(/listens on (http:\/\/[^;\s"]+)/).then((address) => ({
    address,
    linkTo: (page) => find(new RegExp(`(http://\\S+/${page}#token=[\\w-]+)`)),
  }))
}

async function ask(url: string, method: string, body: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

async function bulk(url: string, lines: readonly object[]): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  const failed = (await response.text()).split('\n').find((line) => line.includes('"error"'))
  if (failed !== undefined) throw new Error(failed)
}

async function drop(uri: string, database: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  await client.db(database).dropDatabase()
  await client.close()
}
