import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import { Webhook } from 'standardwebhooks'
import type { NumberedCommit } from '../../src/mongo/commits/read-commits.ts'
import { DELIVERY_LEASE_MS } from '../../src/changes/webhooks/deliver.ts'
import type { DeliveryRow } from '../../src/changes/webhooks/delivery.ts'
import { declare } from '../support/server.ts'
import {
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../support/server-process.ts'
import { type Received, type Receiver, startReceiver } from '../support/webhook-receiver.ts'
import { testUri } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { ask } from './processes.ts'

const KILLS = Number(process.env['QUIRE_TEST_KILLS'] ?? 5)
const SERVERS = 5
const WRITERS = 6
/** The share of messages that the receivers refuse. */
const FAILING = 0.3
/** Writers wait at this number of open deliveries, which bounds the work of a long run. */
const MAX_OPEN = 300
const SHORT_LEASE_MS = 3_000
const MAX_WAIT_MS = 150_000

interface Hook {
  readonly id: string
  readonly receiver: Receiver
  readonly ordered: boolean
}

describe('webhooks of several processes with kills and failing receivers', () => {
  const servers: ServerProcess[] = []
  const hooks: Hook[] = []
  let folder: string
  let client: MongoClient
  let db: Db
  let start: () => Promise<ServerProcess>
  /** Messages with an invalid signature. */
  const forged: string[] = []

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-webhooks-'))
    const uri = await testUri()
    const database = `quire_test_webhooks_${randomBytes(4).toString('hex')}`
    client = await MongoClient.connect(uri)
    db = client.db(database)
    const types = writeContentTypes({
      note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
    })
    start = () =>
      startServerProcess({
        CONTENT_TYPES_DIR: types,
        JWT_SECRET: 'one-secret-for-all-of-these-processes',
        MONGODB_DATABASE: database,
        MONGODB_URI: uri,
        QUIRE_DATA_DIR: mkdtempSync(path.join(folder, 'data-')),
        SLOW_REQUEST_MS: '0',
        WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      })
    servers.push(await start()) // the start creates the indexes
    servers.push(...(await Promise.all(Array.from({ length: SERVERS - 1 }, start))))
    for (const ordered of [false, true]) hooks.push(await makeHook(ordered))
  })
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    for (const { receiver } of hooks) receiver.close()
    await db.dropDatabase()
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function makeHook(ordered: boolean): Promise<Hook> {
    const receiver = await startReceiver()
    const body = {
      name: ordered ? 'ordered' : 'any order',
      url: receiver.url,
      events: ['entry.create', 'entry.update', 'entry.delete', 'entry.publish'],
      ordered,
    }
    const answer = await ask(someServer(), 'POST', '/admin/webhooks', { body })
    expect(answer.status).to.equal(201)
    const { id, secret } = answer.body.data
    receiver.answer((message) => {
      if (!isSigned(secret, message)) forged.push(message.id)
      return { status: Math.random() < FAILING ? 500 : 204 }
    })
    return { id, receiver, ordered }
  }

  function isSigned(secret: string, { text, headers }: Omit<Received, 'status'>): boolean {
    try {
      new Webhook(secret).verify(text, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }

  function someServer(): ServerProcess {
    const server = servers[Math.floor(Math.random() * servers.length)]
    if (server === undefined) throw new Error('no server runs')
    return server
  }

  const deliveries = () => db.collection<DeliveryRow>('quire_deliveries')
  /**
   * Makes the next attempt of failed deliveries due now, and limits a lease to 3 s: the pauses
   * between attempts do not matter here. A slow process that is still alive loses its lease, as
   * with a clock that is ahead.
   */
  async function hurry(): Promise<void> {
    await deliveries().updateMany(
      { open: 1, lease: null, last: { $ne: null } },
      { $set: { dueAt: new Date(0) } },
    )
    const leasedUntil = { $lt: new Date(Date.now() + DELIVERY_LEASE_MS - SHORT_LEASE_MS) }
    await deliveries().updateMany(
      { open: 1, lease: { $ne: null }, leasedUntil },
      { $set: { leasedUntil: new Date(0) } },
    )
  }

  /** Keeps all attempts due and reports the number of open deliveries, until the end. */
  async function pace(isOver: () => boolean, tell: (open: number) => void): Promise<void> {
    while (!isOver()) {
      await hurry()
      tell(await deliveries().countDocuments({ open: 1 }))
      await wait(100)
    }
  }

  /** Writes to its own documents until the end. The server may die in between. */
  async function write(isOver: () => boolean, mayWrite: () => boolean): Promise<number> {
    let acknowledged = 0
    let documentId: string | null = null
    for (let count = 0; !isOver(); count += 1) {
      await until(() => mayWrite() || isOver(), MAX_WAIT_MS)
      const data = { data: { text: String(count) } }
      const target: string = documentId === null ? '' : `/${documentId}`
      const method = documentId === null ? 'POST' : 'PUT'
      const request = ask(someServer(), method, `/api/notes${target}?status=draft`, { body: data })
      const answer = await request.catch(() => null)
      if (answer === null || answer.status >= 300) continue
      acknowledged += 1
      documentId = count % 20 === 19 ? null : String(answer.body.data.documentId)
    }
    return acknowledged
  }

  async function killOne(): Promise<void> {
    const victim = servers.splice(Math.floor(Math.random() * servers.length), 1)[0]
    await victim?.kill()
    servers.push(await start())
  }

  /**
   * The ids of the messages that a webhook must receive, with the document and the commit of each.
   */
  async function expected({ id }: Hook): Promise<ReadonlyMap<string, string>> {
    const rows = await db
      .collection<NumberedCommit>('quire_commits')
      .find({ seq: { $gt: 0 } })
      .sort({ seq: 1 })
      .toArray()
    return new Map(
      rows.flatMap(({ _id, items }) =>
        items.flatMap(({ type, documentId }, index): readonly [string, string][] =>
          type === 'api::note.note' ? [[`${id}:${_id}:${index}`, documentId]] : [],
        ),
      ),
    )
  }

  const takenBy = ({ receiver }: Hook): readonly Received[] =>
    receiver.received.filter(({ status }) => status === 204)

  it(`delivers every event, invents none, and keeps the order if requested (${KILLS} kills)`, async () => {
    let isOver = false
    let open = 0
    const ended = (): boolean => isOver
    const pacing = pace(ended, (count) => (open = count))
    const writers = Array.from({ length: WRITERS }, () => write(ended, () => open < MAX_OPEN))
    for (let kill = 0; kill < KILLS; kill += 1) {
      await wait(300 + Math.random() * 1_200) // under load, at any moment
      await killOne()
    }
    isOver = true
    await pacing
    const acknowledged = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0)
    const killedAt = performance.now()
    let left = {}
    await until(
      async () => {
        await hurry()
        const pending = await db.collection('quire_commits').countDocuments({ pending: 1 })
        const seq = (await db.collection('quire_heads').findOne({}))?.['seq'] as number
        const behind = await db
          .collection('quire_webhooks')
          .countDocuments({ cursor: { $lt: seq } })
        const open = await deliveries().countDocuments({ open: 1 })
        left = { pending, behind, open, seq, acknowledged }
        return pending + behind + open === 0
      },
      MAX_WAIT_MS,
      () => JSON.stringify(left),
    )
    tell(acknowledged, performance.now() - killedAt)
    for (const hook of hooks) {
      const wanted = await expected(hook)
      const taken = takenBy(hook)
      const ids = new Set(taken.map(({ id }) => id))
      expect(
        [...wanted.keys()].filter((id) => !ids.has(id)),
        'missed',
      ).to.deep.equal([])
      expect(
        [...ids].filter((id) => !wanted.has(id)),
        'invented',
      ).to.deep.equal([])
      expect(wanted.size).to.be.at.least(acknowledged)
      const failed = await deliveries().countDocuments({ hook: hook.id, state: 'failed' })
      expect(failed, 'given up').to.equal(0)
      expect(hook.receiver.received.length, 'all was taken at once').to.be.above(taken.length)
      if (hook.ordered) expectOrder(taken, wanted)
    }
    expect(forged).to.deep.equal([])
  })

  function tell(acknowledged: number, restMs: number): void {
    if (process.env['QUIRE_TEST_KILLS'] === undefined) return
    const counts = hooks.map((hook) => [takenBy(hook).length, hook.receiver.received.length])
    process.stdout.write(
      `${KILLS} kills: ${acknowledged} writes, taken and received ${JSON.stringify(counts)}, the rest in ${Math.round(restMs)} ms\n`,
    )
  }

  /** Each event of a document was first accepted after the earlier ones. */
  function expectOrder(taken: readonly Received[], wanted: ReadonlyMap<string, string>): void {
    const seen = new Set<string>()
    const firsts = taken.filter(({ id }) => {
      const isFirst = !seen.has(id)
      seen.add(id)
      return isFirst
    })
    for (const documentId of new Set(wanted.values())) {
      const inLog = [...wanted].filter(([, of]) => of === documentId).map(([id]) => id)
      const told = firsts.map(({ id }) => id).filter((id) => wanted.get(id) === documentId)
      expect(told, documentId).to.deep.equal(inLog)
    }
  }
})
