import { expect } from 'chai'
import { type Document, ObjectId, UUID } from 'mongodb'
import { openEventStream } from '../../support/event-stream.ts'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { openSyncedCopy, type SyncedCopy } from '../../support/synced-copy.ts'
import { until } from '../../support/until.ts'
import { startReceiver } from '../../support/webhook-receiver.ts'

const WAIT_MS = 30_000
const KINDS = ['objects', 'uuids', 'texts', 'numbers'] as const

type Kind = (typeof KINDS)[number]

const ID_OF: Readonly<Record<Kind, (place: number) => unknown>> = {
  objects: (place) => new ObjectId(String(place).padStart(24, '0')),
  uuids: (place) => new UUID(`0b6ad6b4-2b57-4f0b-9a57-${String(place).padStart(12, '0')}`),
  texts: (place) => ['a:b/c', 'DE', '', 'ü', 'z'][place] ?? `text ${place}`,
  numbers: (place) => [-3, 5, 10, 9, 2 ** 40][place] ?? place,
}

function documentsOf(kind: Kind): readonly Document[] {
  return [0, 1, 2, 3, 4].map((place) => ({
    _id: ID_OF[kind](place),
    name: `${kind} ${place}`,
    secret: place,
  }))
}

function adopt(name: string, collection: string) {
  return {
    info: { singularName: name },
    attributes: { name: { type: 'string' } },
    adopt: { collection, paths: {} },
  }
}

const CONTENT_TYPES = {
  object: adopt('object', 'objects'),
  uuid: adopt('uuid', 'uuids'),
  text: adopt('text', 'texts'),
  number: adopt('number', 'numbers'),
  seen: adopt('seen', 'named_objects'),
  own: declare('own', { name: { type: 'string' } }),
}

describe('changes of other services', () => {
  let foreign: ForeignDatabase
  let server: TestServer
  let isFollowed: boolean
  let log: readonly Json[]

  before(async () => {
    foreign = await openForeignDatabase(
      'changes',
      Object.fromEntries(KINDS.map((kind) => [kind, documentsOf(kind)])),
    )
    isFollowed = await hasStreams(foreign)
    if (isFollowed) await foreign.db.createCollection('named_objects')
    server = await serve('changes', {
      contentTypes: CONTENT_TYPES,
      environment: {
        MONGODB_DATABASE: foreign.name,
        RATE_LIMIT: 'off',
        WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      },
    })
    log = server.takeLog()
  })
  after(async () => {
    await server.close()
    await foreign.drop()
  })

  function copyOf(types: string, limit = 500): SyncedCopy {
    return openSyncedCopy((path) => server.get(path), `types=${types}&limit=${limit}`)
  }

  const namesIn = (copy: SyncedCopy): readonly string[] =>
    [...copy.rows.values()].map(({ name }) => name as string).toSorted()

  async function namesOf(...kinds: readonly Kind[]): Promise<readonly string[]> {
    const found: string[] = []
    for (const kind of kinds)
      for (const { name } of await foreign.db.collection(kind).find().toArray()) found.push(name)
    return found.toSorted()
  }

  /** Reads until the copy has all documents. */
  async function reach(copy: SyncedCopy, ...kinds: readonly Kind[]): Promise<void> {
    const wanted = JSON.stringify(await namesOf(...kinds))
    await copy.read()
    await until(async () => {
      if (JSON.stringify(namesIn(copy)) === wanted) return true
      await copy.read(true)
      return false
    }, WAIT_MS)
  }

  it('refuses to sync on a database without change streams, and says so at the start', async function () {
    if (isFollowed) this.skip()
    const { status, body } = await server.get('/api/_sync?types=object')
    expect(status).to.equal(400)
    expect(body.error.message).to.include('there is no content-type object to sync')
    expect(log.filter(({ msg }) => String(msg).includes('cannot be synced'))).to.have.length(1)
  })

  describe('on a database with change streams', () => {
    before(function () {
      if (!isFollowed) this.skip()
    })

    it('sends all documents page by page, for each kind of id', async () => {
      for (const kind of KINDS) {
        const copy = copyOf(kind.slice(0, -1), 2)
        await copy.read()
        expect(namesIn(copy), kind).to.deep.equal(await namesOf(kind))
        const { body } = await server.get(`/api/${kind}`)
        for (const { documentId } of body.data as readonly Json[])
          expect(copy.rows.has(`${kind.slice(0, -1)} ${documentId}`)).to.equal(true)
      }
    })

    it('brings inserts, updates, replacements and deletions of each kind of id', async () => {
      const copy = copyOf('object,uuid,text,number')
      await copy.read()
      for (const kind of KINDS) {
        const rows = foreign.db.collection<{ _id: never }>(kind)
        const id = (place: number) => ID_OF[kind](place) as never
        await rows.insertOne({ _id: id(7), name: `${kind} new` } as never)
        await rows.updateOne({ _id: id(1) }, { $set: { name: `${kind} changed` } })
        await rows.replaceOne({ _id: id(3) }, { name: `${kind} replaced` })
        await rows.deleteOne({ _id: id(4) })
      }
      await reach(copy, ...KINDS)
      expect(copy.rows.size).to.equal(20)
      expect(copy.resets).to.deep.equal([])
    })

    it('brings all documents of a transaction, and of many writes', async () => {
      const copy = copyOf('object')
      await copy.read()
      const rows = foreign.db.collection('objects')
      await foreign.db.client.withSession((session) =>
        session.withTransaction(async () => {
          await rows.insertOne({ name: 'together 1' }, { session })
          await rows.insertOne({ name: 'together 2' }, { session })
        }),
      )
      await rows.insertMany(
        Array.from({ length: 1_200 }, (_, place) => ({ name: `many ${place}` })),
      )
      await rows.deleteMany({ name: /^many .*7/ })
      await reach(copy, 'objects')
      await rows.deleteMany({ name: /^many/ })
      await reach(copy, 'objects')
    })

    it('reaches live streams and webhooks', async () => {
      const receiver = await startReceiver()
      const hook = { name: 'shop', url: receiver.url, events: ['entry.create', 'entry.delete'] }
      await server.settled() // a new webhook receives commits without a number
      const made = await server.send('POST', '/admin/webhooks', {
        body: { ...hook, types: ['api::text.text'] },
      })
      expect(made.status, made.text).to.equal(201)
      const headers = { authorization: `Bearer ${ROOT_TOKEN}` }
      const live = await openEventStream(server.port, '/api/_live?types=text', headers)
      const rows = foreign.db.collection<{ _id: string; name: string }>('texts')
      await rows.insertOne({ _id: 'live', name: 'texts live' })
      await until(() => live.events.length > 0 && receiver.received.length > 0, WAIT_MS)
      const place = { type: 'text', documentId: 'live', locale: null }
      expect(live.events[0]?.data).to.deep.include({ ...place, op: 'put' })
      expect(receiver.received[0]?.body).to.deep.include({ event: 'entry.create', model: 'text' })
      expect(receiver.received[0]?.body.entry).to.deep.include({
        documentId: 'live',
        name: 'texts live',
      })
      await rows.deleteOne({ _id: 'live' })
      await until(() => live.events.length > 1 && receiver.received.length > 1, WAIT_MS)
      expect(live.events[1]?.data).to.deep.include({ ...place, op: 'delete' })
      expect(receiver.received[1]?.body).to.deep.include({ event: 'entry.delete' })
      live.close()
      receiver.close()
      await server.delete(`/admin/webhooks/${made.body.data.id}`)
    })

    it('changes no document', async () => {
      const before = await foreign.contents(KINDS)
      await copyOf('object,uuid,text,number', 3).read()
      for (const kind of KINDS) await server.get(`/api/${kind}?pagination[pageSize]=100`)
      expect(await foreign.contents(KINDS)).to.deep.equal(before)
    })

    it('resets the type of a collection that is dropped', async () => {
      const copy = copyOf('number,text')
      await copy.read()
      await foreign.db.collection('numbers').drop()
      await until(async () => {
        await copy.read(true)
        return copy.resets.length > 0
      }, WAIT_MS)
      expect(copy.resets).to.deep.equal(['number schema'])
      await reach(copy, 'texts')
      await foreign.db.collection('numbers').insertOne({ _id: 11, name: 'again' } as never)
      await reach(copy, 'texts', 'numbers')
      expect(copy.resets).to.have.length(1)
    })

    it('resets all types if the database no longer has the changes', async () => {
      const copy = copyOf('object,text')
      await copy.read()
      const rows = foreign.db.collection('quire_foreign_changes')
      const lost = { token: { _data: '0'.repeat(28) }, holder: null, heldUntil: new Date(0) }
      await rows.updateOne({}, { $set: lost, $inc: { version: 1 } })
      await foreign.db.collection('texts').insertOne({ _id: 'late', name: 'late' } as never)
      await until(async () => {
        await copy.read(true)
        return copy.resets.length > 0
      }, WAIT_MS)
      await reach(copy, 'objects', 'texts')
      expect(copy.resets.toSorted()).to.deep.equal(['object schema', 'text schema'])
      const told = server.takeLog().filter(({ msg }) => String(msg).includes('were lost'))
      expect(told).to.have.length(1)
      await foreign.db.collection('texts').insertOne({ _id: 'later', name: 'later' } as never)
      await reach(copy, 'objects', 'texts')
      expect(copy.resets).to.have.length(2)
    })

    it('reports its lag as a metric', async () => {
      const { text } = await server.get('/metrics')
      expect(text).to.match(/^quire_foreign_lag_seconds [\d.]+$/m)
    })

    it('refuses a condition of a rule for sync', async () => {
      const rules = [{ action: 'api::object.object.sync', where: { name: { $eq: 'x' } } }]
      const role = '/admin/roles/authenticated'
      const { status, text } = await server.send('PUT', role, { body: { rules } })
      expect(status, text).to.equal(400)
      expect(text).to.include('sync takes no conditions on a type that another service writes')
    })
  })
})
