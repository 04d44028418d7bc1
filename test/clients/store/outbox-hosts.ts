import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startEmbedded } from '@quire/engine'
import { MongoClient } from 'mongodb'
import { openWorld, type World } from '../../faults/world.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { PUSHED_TYPES } from '../../support/push-world.ts'
import { ROOT_TOKEN, type ServerProcess, writeContentTypes } from '../../support/server-process.ts'
import { type Answer, serve, type TestServer } from '../../support/server.ts'
import { testUri } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import type { StepOf } from './outbox-steps.ts'

/** The members of a server that the model of the outbox uses. */
export type OutboxServer = Pick<
  TestServer,
  'port' | 'uri' | 'database' | 'contentTypesDir' | 'get' | 'post' | 'put' | 'send' | 'settled'
>

/** The server of the model, which can fail and start again with other types. */
export interface OutboxHost {
  readonly server: OutboxServer
  /** The attribute that each `change` renames or replaces. */
  readonly mark: string
  /** Interrupts the server at a command of `work`, and waits until it responds again. */
  crash(work: () => Promise<void>, step: StepOf<'crash'>): Promise<void>
  close(): Promise<void>
}

const ENVIRONMENT = { RATE_LIMIT: 'off', JWT_SECRET: 'secret-of-the-outbox-model' }
const LOCALES = ['en', 'fr']
const READY_MS = 30_000
const HOUR_MS = 3_600_000
const CLOCK = new URL('../../faults/shifted-clock.js', import.meta.url).href

interface Marks {
  readonly mark: string
  readonly types: Readonly<Record<string, object>>
  change(how: StepOf<'crash'>['change']): void
}

/** The types of the notes, whose attribute `mark…` gets a new name with each change. */
function openMarks(): Marks {
  let count = 0
  let from: string | null = null
  const name = (): string => `mark${count}`
  return {
    get mark() {
      return name()
    },
    get types() {
      const note = PUSHED_TYPES['note'] as { readonly attributes: object }
      const mark = { type: 'string', conflict: 'client', ...(from !== null && { from }) }
      return {
        ...PUSHED_TYPES,
        note: { ...note, attributes: { ...note.attributes, [name()]: mark } },
      }
    },
    change: (how) => {
      if (how === null) return
      from = how === 'rename' ? name() : null
      count += 1
    },
  }
}

/** Runs `work` until it ends or the server has sent the command, whose reply is cut off. */
async function interrupt(
  proxy: DatabaseProxy,
  work: () => Promise<void>,
  command: string,
): Promise<{ readonly ended: Promise<void> }> {
  let isOver = false
  proxy.takeCommands()
  proxy.shutAtReplyTo(command)
  const ended = work().finally(() => {
    isOver = true
  })
  await until(() => isOver || proxy.takeCommands().includes(command), READY_MS)
  return { ended }
}

function untilReady(server: Pick<TestServer, 'get'>): Promise<void> {
  return until(
    async () => (await server.get('/api/notes?pagination[pageSize]=1')).status === 200,
    READY_MS,
  )
}

/** A server in this process. It loses its connections to the database, and closes before a change. */
export async function openLocalHost(label: string): Promise<OutboxHost> {
  const proxy = await openDatabaseProxy(await testUri())
  const database = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  const marks = openMarks()
  const start = (): Promise<TestServer> =>
    serve(label, {
      uri: proxy.uri,
      contentTypes: marks.types,
      locales: LOCALES,
      environment: { ...ENVIRONMENT, MONGODB_DATABASE: database },
    })
  let server = await start()
  return {
    get server() {
      return server
    },
    get mark() {
      return marks.mark
    },
    crash: async (work, { at, change }) => {
      const { ended } = await interrupt(proxy, work, at)
      proxy.shutAtReplyTo('')
      proxy.open()
      await ended
      await untilReady(server)
      if (change === null) return
      await server.close()
      marks.change(change)
      server = await start()
    },
    close: async () => {
      await server.close()
      await proxy.close()
      await dropDatabase(database)
    },
  }
}

async function dropDatabase(name: string): Promise<void> {
  const client = await MongoClient.connect(await testUri())
  await client.db(name).dropDatabase()
  await client.close()
}

/** The database of a server that is killed. */
interface KilledDatabase {
  readonly world: World
  /** Called while the server runs. */
  findUri(): Promise<string>
  /** Runs `work` until it ends or it is time to kill the server. */
  interrupt(
    work: () => Promise<void>,
    step: StepOf<'crash'>,
  ): Promise<{ readonly ended: Promise<void> }>
  /** Called after the kill. */
  reopen(): void
  close(): Promise<void>
}

/** A server in a process of its own, which is killed at a command to the database of this run. */
export async function openProcessHost(label: string): Promise<OutboxHost> {
  const uri = await testUri()
  const proxy = await openDatabaseProxy(uri)
  return openKilledHost({
    world: await openWorld(label, { types: {}, uri: proxy.uri }),
    findUri: () => Promise.resolve(uri),
    interrupt: (work, { at }) => interrupt(proxy, work, at),
    reopen: () => {
      proxy.shutAtReplyTo('')
      proxy.open()
    },
    close: () => proxy.close(),
  })
}

/** A server with the embedded engine in the same process. Both are killed, and start on the same folder. */
export async function openEmbeddedHost(label: string): Promise<OutboxHost> {
  const world = await openWorld(label, { types: {}, uri: null })
  return openKilledHost({
    world,
    findUri: async () => {
      const engine = await startEmbedded({ directory: path.join(world.folder, 'embedded') })
      if (engine.role === 'guest') return engine.uri
      throw new Error('The server does not run the engine')
    },
    interrupt: async (work, { afterMs }) => {
      const ended = work()
      await wait(afterMs)
      return { ended }
    },
    reopen: () => undefined,
    close: () => Promise.resolve(),
  })
}

async function openKilledHost({ world, ...killed }: KilledDatabase): Promise<OutboxHost> {
  const clock = path.join(world.folder, 'clock')
  const marks = openMarks()
  const database = world.env['MONGODB_DATABASE'] ?? ''
  const folders: string[] = []
  const start = async (clockHours: number) => {
    const contentTypesDir = writeContentTypes(marks.types)
    folders.push(contentTypesDir)
    writeFileSync(clock, String(clockHours * HOUR_MS))
    const process = await world.start(
      { ...ENVIRONMENT, CONTENT_TYPES_DIR: contentTypesDir, SHIFTED_CLOCK: clock },
      { nodeOptions: ['--import', CLOCK] },
    )
    process.signal('SIGUSR2')
    return { process, contentTypesDir }
  }
  const first = await start(0)
  const uri = await killed.findUri()
  const admin = await MongoClient.connect(uri)
  const open = ({ process, contentTypesDir }: typeof first) => {
    const server = { uri, database, contentTypesDir, ...requestsTo(process) }
    const settled = (): Promise<void> => settledProcess(admin, server)
    return { process, server: { ...server, settled } }
  }
  let running = open(first)
  for (const code of LOCALES) {
    await running.server.send('POST', '/admin/locales', { body: { code } })
  }
  return {
    get server() {
      return running.server
    },
    get mark() {
      return marks.mark
    },
    crash: async (work, step) => {
      const { ended } = await killed.interrupt(work, step)
      await running.process.kill()
      await ended
      killed.reopen()
      marks.change(step.change)
      running = open(await start(step.clockHours))
      await untilReady(running.server)
    },
    close: async () => {
      await world.remove()
      await killed.close()
      await admin.close()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function requestsTo({
  base,
}: ServerProcess): Pick<TestServer, 'port' | 'get' | 'post' | 'put' | 'send'> {
  const send: TestServer['send'] = async (method, target, sent = {}): Promise<Answer> => {
    const { token = ROOT_TOKEN, headers = {}, body } = sent
    const answer = await fetch(base + target, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text,
      body: isJson ? JSON.parse(text) : null,
    }
  }
  return {
    port: Number(new URL(base).port),
    send,
    get: (target, sent) => send('GET', target, sent),
    post: (target, data, sent) => send('POST', target, { ...sent, body: { data } }),
    put: (target, data, sent) => send('PUT', target, { ...sent, body: { data } }),
  }
}

const LOG_HEAD = /^quire_log_head (\d+)$/m

/** Waits until all commits are numbered and the server knows their numbers. */
async function settledProcess(
  admin: MongoClient,
  { database, get }: Pick<TestServer, 'database' | 'get'>,
): Promise<void> {
  const db = admin.db(database)
  await until(async () => {
    if ((await db.collection('quire_commits').countDocuments({ pending: 1 })) > 0) return false
    const head = await db.collection('quire_heads').findOne({})
    const { text } = await get('/metrics', { token: null })
    const known = Number(LOG_HEAD.exec(text)?.[1] ?? -1)
    return head?.['assigning'] === null && known >= head['seq']
  }, READY_MS)
}
