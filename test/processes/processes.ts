import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../support/server-process.ts'
import type { Json } from '../support/server.ts'
import { testUri } from '../support/test-database.ts'
import { until } from '../support/until.ts'

export const PROCESSES = 4

export type Declarations = Readonly<Record<string, object>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Null is anonymous. The default is root. */
  readonly token?: string | null
}

/** Several real servers on one database, each with its own data folder. */
export interface Processes {
  readonly servers: readonly ServerProcess[]
  /** The database of the servers. */
  readonly db: Db
  /** Starts one more server with the same environment, and with these content-types if given. */
  start(contentTypes?: Declarations): Promise<ServerProcess>
  /** Stops all servers, and starts as many again at the same time. */
  restart(contentTypes: Declarations): Promise<void>
  close(): Promise<void>
}

/** Starts four servers at the same time, on a database that does not exist yet. */
export async function startProcesses(
  label: string,
  contentTypes: Declarations,
  environment: Readonly<Record<string, string>> = {},
): Promise<Processes> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-processes-'))
  const uri = await testUri()
  const database = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  const client = await MongoClient.connect(uri)
  const running = new Set<ServerProcess>()
  const servers: ServerProcess[] = []
  const start = async (types: Declarations): Promise<ServerProcess> => {
    const server = await startServerProcess({
      CONTENT_TYPES_DIR: writeContentTypes(types),
      JWT_SECRET: 'one-secret-for-all-of-these-processes',
      LOG_LEVEL: 'info',
      MONGODB_DATABASE: database,
      MONGODB_URI: uri,
      QUIRE_DATA_DIR: mkdtempSync(path.join(folder, 'data-')),
      SLOW_REQUEST_MS: '0', // any request may be slow on a loaded machine
      TRUST_PROXY: '1',
      ...environment,
    })
    running.add(server)
    return server
  }
  const startAll = async (types: Declarations): Promise<void> => {
    const started = await Promise.allSettled(Array.from({ length: PROCESSES }, () => start(types)))
    servers.length = 0
    for (const outcome of started) {
      if (outcome.status === 'rejected') throw outcome.reason
      servers.push(outcome.value)
    }
  }
  const stopAll = async (): Promise<void> => {
    const statuses = await Promise.all([...running].map((server) => server.stop()))
    running.clear()
    expect(statuses.filter((status) => status !== 0)).to.deep.equal([])
  }
  const close = async (): Promise<void> => {
    try {
      await stopAll()
    } finally {
      await client.db(database).dropDatabase()
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  try {
    await startAll(contentTypes)
  } catch (error) {
    await close()
    throw error
  }
  return {
    servers,
    db: client.db(database),
    start: (types = contentTypes) => start(types),
    restart: async (types) => {
      await stopAll()
      await startAll(types)
    },
    close,
  }
}

/** Sends one request, with a timeout that no valid response reaches. */
export async function ask(
  { base }: Pick<ServerProcess, 'base'>,
  method: string,
  target: string,
  { headers = {}, body, token = ROOT_TOKEN }: Sent = {},
): Promise<Answer> {
  const response = await fetch(`${base}${target}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : null,
  }
}

/** Retries like a client should when the server is overloaded. */
export async function patiently(request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await request()
    if (answer.status !== 503 && answer.status !== 504) return answer
    await wait(1_000 * Number(answer.headers.get('retry-after') ?? 1))
  }
}

/** The documented bound, and extra time for a loaded machine. */
const WITHIN_MS = 1_000 + 4_000

/**
 * Waits until the condition holds for each server. On a slow machine the bound is a number of
 * requests (`until`).
 */
export async function agree(
  servers: readonly ServerProcess[],
  what: string,
  holds: (server: ServerProcess) => Promise<boolean>,
): Promise<void> {
  await Promise.all(
    servers.map((server, index) =>
      until(
        () => holds(server),
        WITHIN_MS,
        () => `${what}, process ${index}`,
      ),
    ),
  )
}
