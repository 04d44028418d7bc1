import { expect } from 'chai'
import { BSON, Long } from 'mongodb'
import type { Db, Document, MongoClient } from 'mongodb'
import { databaseName, TARGETS } from './targets.ts'

/** The first protocol version of MongoDB with this command. */
const WIRE_VERSION = 25

for (const target of TARGETS) {
  describe(`bulkWrite: ${target.name}`, function () {
    let client: MongoClient
    let close: () => Promise<void>
    let database: Db

    before(async function () {
      ;({ client, close } = await target.open())
      const { bulkWrite, maxWireVersion } = await client.db('admin').command({ hello: 1 })
      if (bulkWrite !== true && maxWireVersion < WIRE_VERSION) this.skip()
    })
    after(() => close())

    beforeEach(async () => {
      database = client.db(databaseName())
      await database.collection('a').createIndex({ key: 1 }, { unique: true })
      await database.createCollection('b')
    })
    afterEach(() => database.dropDatabase())

    const run = (ops: readonly Document[], more: Document = {}, session = client.startSession()) =>
      client.db('admin').command(
        {
          bulkWrite: 1,
          ops: [...ops],
          nsInfo: ['a', 'b'].map((name) => ({ ns: `${database.databaseName}.${name}` })),
          ...more,
        },
        { session },
      )
    const rows = (name: string): Promise<Document[]> =>
      database.collection(name).find().sort({ _id: 1 }).toArray()
    const insert = (place: number, document: Document): Document => ({ insert: place, document })
    const change = (place: number, filter: Document, $set: Document, more: Document = {}) => ({
      update: place,
      filter,
      updateMods: { $set },
      ...more,
    })
    const failure = (work: Promise<Document>): Promise<Document> =>
      work.then(
        () => expect.fail('it went through'),
        (error: unknown) => error as Document,
      )

    it('writes to several collections and reports each result', async () => {
      const reply = await run([
        insert(0, { _id: 1, key: 'x', n: Long.fromNumber(5) }),
        insert(1, { _id: 2, list: [{ a: 1 }] }),
        change(0, { _id: 1 }, { n: 6 }),
        change(1, {}, { all: true }, { multi: true }),
        change(1, { _id: 3 }, { made: 1 }, { upsert: true }),
      ])
      expect(await rows('a')).to.deep.equal([{ _id: 1, key: 'x', n: 6 }])
      expect(await rows('b')).to.deep.equal([
        { _id: 2, list: [{ a: 1 }], all: true },
        { _id: 3, made: 1 },
      ])
      expect(reply).to.include({ nErrors: 0, nInserted: 2, nMatched: 2, nModified: 2 })
      expect(reply).to.include({ nUpserted: 1, nDeleted: 0 })
      expect(reply['cursor'].firstBatch).to.deep.equal([
        { ok: 1, idx: 0, n: 1 },
        { ok: 1, idx: 1, n: 1 },
        { ok: 1, idx: 2, n: 1, nModified: 1 },
        { ok: 1, idx: 3, n: 1, nModified: 1 },
        { ok: 1, idx: 4, n: 1, nModified: 0, upserted: { _id: 3 } },
      ])
    })

    it('stores the same bytes as an insert', async () => {
      const document = { _id: 1, key: 'ä', date: new Date(5), none: null, deep: { list: [1, 'b'] } }
      await run([insert(0, document)])
      await database.collection('b').insertOne(document as never)
      const [[one] = [], [other] = []] = await Promise.all(
        ['a', 'b'].map((name) => database.collection(name).find({}, { raw: true }).toArray()),
      )
      expect(BSON.deserialize(one as never)).to.deep.equal(document)
      expect(one).to.deep.equal(other)
    })

    it('stops at the first error and keeps the writes before it', async () => {
      const ops = ['x', 'x', 'y'].map((key, _id) => insert(0, { _id, key }))
      const reply = await run(ops, { errorsOnly: true })
      expect(reply).to.include({ nErrors: 1, nInserted: 1 })
      const [fault] = reply['cursor'].firstBatch
      expect(fault).to.include({ ok: 0, idx: 1, code: 11000, n: 0 })
      expect(await rows('a')).to.have.length(1)
      const rest = await run(ops.slice(1), { errorsOnly: true, ordered: false })
      expect(rest).to.include({ nErrors: 1, nInserted: 1 })
    })

    it('writes all or nothing in a transaction, and ends it after an error', async () => {
      const session = client.startSession()
      session.startTransaction()
      const both = [insert(0, { _id: 1, key: 'x' }), insert(1, { _id: 1 })]
      expect(await run(both, {}, session)).to.include({ nInserted: 2 })
      expect([await rows('a'), await rows('b')]).to.deep.equal([[], []])
      await session.commitTransaction()
      expect([await rows('a'), await rows('b')].map((each) => each.length)).to.deep.equal([1, 1])

      session.startTransaction()
      const reply = await run([insert(1, { _id: 2 }), insert(0, { _id: 2, key: 'x' })], {}, session)
      expect(reply).to.include({ nErrors: 1 })
      expect((await failure(session.commitTransaction() as never))['code']).to.equal(251)
      expect(await rows('b')).to.have.length(1)
      await session.endSession()
    })

    it('is refused outside of admin, and with unknown members and places', async () => {
      const op = insert(0, { _id: 1 })
      const elsewhere = database.command({ bulkWrite: 1, ops: [op], nsInfo: [{ ns: 'a.b' }] })
      expect((await failure(elsewhere))['code']).to.equal(13)
      for (const wrong of [{ ...op, nope: 1 }, { ...op, insert: 2 }, { nope: 0 }]) {
        expect((await failure(run([wrong])))['code'], JSON.stringify(wrong)).to.be.a('number')
      }
      expect(await rows('a')).to.deep.equal([])
    })
  })
}
