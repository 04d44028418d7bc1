import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { MongoClient, MongoServerError, ObjectId, Timestamp } from 'mongodb'
import type {
  ChangeStream,
  ChangeStreamDocument,
  ChangeStreamOptions,
  Collection,
  Db,
  Document,
} from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import type { EmbeddedEngine } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

interface Row extends Document {
  _id: number | ObjectId
}

type Stream = ChangeStream<Document, ChangeStreamDocument>
type Seen = ChangeStreamDocument & Document

async function failure(work: Promise<unknown>): Promise<MongoServerError> {
  try {
    await work
  } catch (error) {
    if (error instanceof MongoServerError) return error
    throw error
  }
  throw new Error('should have failed')
}

describe('change streams of the embedded engine', () => {
  let directory: string
  let engine: EmbeddedEngine
  let client: MongoClient
  let database: Db
  let rows: Collection<Row>
  const streams: Stream[] = []

  const open = async (): Promise<void> => {
    engine = await startEmbedded({ directory, durable: false, strictness: { replicaSet: true } })
    client = await MongoClient.connect(engine.uri)
    database = client.db('watched')
    rows = database.collection<Row>('rows')
  }
  const close = async (): Promise<void> => {
    for (const stream of streams.splice(0)) await stream.close()
    await client.close()
    await engine.close()
  }
  beforeEach(async () => {
    directory = temporaryFolder()
    await open()
  })
  afterEach(async () => {
    await close()
    rmSync(directory, { recursive: true, force: true })
  })

  /** The stream is open when it is returned, so that later writes are seen. */
  const watch = async (
    pipeline: Document[] = [],
    options: ChangeStreamOptions = {},
    of: Pick<Db, 'watch'> = rows,
  ): Promise<Stream> => {
    const stream: Stream = of.watch(pipeline, { maxAwaitTimeMS: 20, ...options })
    streams.push(stream)
    if (Object.keys(options).every((name) => !/^(resume|start)/.test(name)))
      expect(await stream.tryNext()).to.equal(null)
    return stream
  }
  const take = async (stream: Stream, count: number): Promise<Seen[]> => {
    const events: Seen[] = []
    while (events.length < count) events.push(await stream.next())
    return events
  }
  const kinds = (events: readonly Seen[]): readonly string[] =>
    events.map(({ operationType }) => operationType)
  const ids = (events: readonly Seen[]): readonly unknown[] =>
    events.map((event) => (event['documentKey'] as Row)._id)

  it('emits each kind of write in the order of the commits', async () => {
    const stream = await watch()
    await rows.insertMany([
      { _id: 1, n: 1, list: [1, 2, 3] },
      { _id: 2, n: 2 },
    ])
    await rows.updateOne({ _id: 1 }, { $set: { n: 5, list: [1] }, $unset: { missing: 1 } })
    await rows.updateOne({ _id: 1 }, { $set: { n: 5 } })
    await rows.updateOne({ _id: 3 }, { $set: { n: 3 } }, { upsert: true })
    await rows.replaceOne({ _id: 2 }, { m: 1 })
    await rows.findOneAndUpdate({ _id: 2 }, [{ $set: { m: 2 } }])
    await rows.deleteMany({ _id: { $in: [1, 2] } })
    const events = await take(stream, 8)
    expect(kinds(events)).to.deep.equal(
      'insert insert update insert replace update delete delete'.split(' '),
    )
    expect(ids(events)).to.deep.equal([1, 2, 1, 3, 2, 2, 1, 2])
    const [insert, , update, upsert, replace, piped, removal] = events
    expect(insert).to.deep.include({
      fullDocument: { _id: 1, n: 1, list: [1, 2, 3] },
      ns: { db: 'watched', coll: 'rows' },
    })
    expect(insert).to.include.keys('_id', 'clusterTime', 'wallTime')
    expect(update?.['updateDescription']).to.deep.equal({
      updatedFields: { n: 5 },
      removedFields: [],
      truncatedArrays: [{ field: 'list', newSize: 1 }],
    })
    expect(update).to.not.have.property('fullDocument')
    expect(upsert?.['fullDocument']).to.deep.equal({ _id: 3, n: 3 })
    expect(replace?.['fullDocument']).to.deep.equal({ _id: 2, m: 1 })
    expect(piped?.['updateDescription']).to.deep.include({ updatedFields: { m: 2 } })
    expect(removal).to.not.have.property('fullDocument')
    const times = events.map((event) => event['clusterTime'] as { compare(other: unknown): number })
    times.slice(1).forEach((time, i) => expect(time.compare(times[i])).to.be.greaterThan(-1))
  })

  it('emits a transaction at its commit, with all steps in order', async () => {
    const stream = await watch([], {}, database)
    const other = database.collection<Row>('other')
    await client.withSession(async (session) => {
      session.startTransaction()
      await rows.insertOne({ _id: 1, n: 1 }, { session })
      await other.insertOne({ _id: 1 }, { session })
      await rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session })
      await rows.insertOne({ _id: 2 })
      await rows.deleteOne({ _id: 1 }, { session })
      await session.commitTransaction()
      session.startTransaction()
      await rows.insertOne({ _id: 4 }, { session })
      await session.abortTransaction()
    })
    await rows.insertOne({ _id: 3 })
    const events = await take(stream, 6)
    expect(kinds(events)).to.deep.equal('insert insert insert update delete insert'.split(' '))
    expect(ids(events)).to.deep.equal([2, 1, 1, 1, 1, 3])
    const inside = events.slice(1, 5)
    expect(new Set(inside.map(({ txnNumber }) => String(txnNumber))).size).to.equal(1)
    for (const event of inside) expect(event).to.include.keys('lsid', 'txnNumber')
    for (const event of [events[0], events[5]]) expect(event).to.not.have.property('lsid')
  })

  it('filters by the pipeline, by collection, by database and not at all', async () => {
    const matching = [
      { $match: { 'ns.coll': { $in: ['rows', 'b'] }, 'fullDocument.n': { $gt: 1 } } },
    ]
    const filtered = await watch(matching, {}, database)
    const named = await watch(
      [{ $match: { $or: [{ 'ns.coll': 'b' }, { 'to.coll': 'b' }] } }],
      {},
      client,
    )
    const projected = await watch([
      { $match: { operationType: 'insert' } },
      { $project: { 'fullDocument.n': 1 } },
    ])
    const all = await watch([], {}, client)
    await database.collection<Row>('a').insertOne({ _id: 1, n: 2 })
    await rows.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
    await client.db('elsewhere').collection<Row>('b').insertOne({ _id: 3, n: 3 })
    await database.collection<Row>('b').insertOne({ _id: 4, n: 4 })
    await rows.deleteOne({ _id: 1 })
    expect(ids(await take(filtered, 2))).to.deep.equal([2, 4])
    expect(ids(await take(named, 2))).to.deep.equal([3, 4])
    const shown = await take(projected, 2)
    expect(shown.map((event) => event['fullDocument'] as unknown)).to.deep.equal([
      { n: 1 },
      { n: 2 },
    ])
    expect(ids(await take(all, 6))).to.deep.equal([1, 1, 2, 3, 4, 1])
    expect(await projected.tryNext()).to.equal(null)
  })

  it('looks up the document of an update', async () => {
    await rows.insertMany([{ _id: 1 }, { _id: 2 }])
    const stream = await watch([], { fullDocument: 'updateLookup' })
    await rows.updateMany({}, { $set: { n: 1 } })
    await rows.deleteOne({ _id: 2 })
    const events = await take(stream, 3)
    expect(events.map((event) => event['fullDocument'] as unknown)).to.deep.equal([
      { _id: 1, n: 1 },
      null,
      undefined,
    ])
  })

  it('waits for the next event as long as the client asks for', async () => {
    const stream = await watch()
    const waiting = stream.next()
    await database.collection<Row>('a').insertOne({ _id: 1 })
    await rows.insertOne({ _id: 7 })
    expect(ids([await waiting])).to.deep.equal([7])
  })

  it('resumes after each event', async () => {
    const stream = await watch()
    await rows.insertMany(Array.from({ length: 5 }, (_, i) => ({ _id: i + 1 })))
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await rows.insertOne({ _id: 6 }, { session })
        await rows.insertOne({ _id: 7 }, { session })
      }),
    )
    const events = await take(stream, 7)
    for (const [place, { _id }] of events.entries()) {
      if (place === 6) break
      const resumed = await watch([], { resumeAfter: _id })
      expect(ids(await take(resumed, 6 - place))).to.deep.equal(
        [1, 2, 3, 4, 5, 6, 7].slice(place + 1),
      )
      const started = await watch([], { startAfter: _id })
      expect(ids(await take(started, 1))).to.deep.equal([place + 2])
    }
  })

  it('resumes after a batch without events', async () => {
    const stream = await watch()
    const { resumeToken } = stream
    await rows.insertOne({ _id: 1 })
    const resumed = await watch([], { resumeAfter: resumeToken })
    expect(ids(await take(resumed, 1))).to.deep.equal([1])
  })

  it('reports a lost history after a restart', async () => {
    const stream = await watch()
    await rows.insertOne({ _id: 1 })
    const [event] = await take(stream, 1)
    const token = stream.resumeToken
    await close()
    await open()
    for (const resumeAfter of [event?._id, token]) {
      const error = await failure((await watch([], { resumeAfter })).next())
      expect(error.code).to.equal(286)
      expect(error.hasErrorLabel('NonResumableChangeStreamError')).to.equal(true)
      const again = await watch()
      await rows.insertOne({ _id: new ObjectId() })
      expect(kinds(await take(again, 1))).to.deep.equal(['insert'])
      expect((await failure((await watch([], { resumeAfter })).next())).code).to.equal(286)
    }
  })

  it('reports a lost history to a stream that reads too slowly', async () => {
    const stream = await watch([], { batchSize: 1 })
    const text = 'x'.repeat(8 * 1024 * 1024)
    for (let _id = 1; _id <= 12; _id++) await rows.insertOne({ _id, text })
    expect((await failure(take(stream, 12))).code).to.equal(286)
  })

  it('ends when its collection or database is dropped', async () => {
    const stream = await watch()
    const whole = await watch([], {}, database)
    await rows.insertOne({ _id: 1 })
    await rows.drop()
    const events = await take(stream, 3)
    expect(kinds(events)).to.deep.equal(['insert', 'drop', 'invalidate'])
    const pipeline = [{ $changeStream: { resumeAfter: events[0]?._id } }]
    const { cursor } = await database.command({ aggregate: 'rows', pipeline, cursor: {} })
    expect(kinds(cursor.firstBatch)).to.deep.equal(['drop', 'invalidate'])
    expect(String(cursor.id)).to.equal('0')
    await rows.insertOne({ _id: 2 })
    const token = events[2]?._id
    expect(ids(await take(await watch([], { startAfter: token }), 1))).to.deep.equal([2])
    expect((await failure((await watch([], { resumeAfter: token })).next())).code).to.equal(260)
    await database.dropDatabase()
    expect(kinds(await take(whole, 6))).to.deep.equal(
      'insert drop insert drop dropDatabase invalidate'.split(' '),
    )
  })

  it('shows a write only after the majority has it', async () => {
    const admin = client.db('admin')
    const stream = await watch()
    await admin.command({ holdMajority: 'begin' })
    const local = { writeConcern: { w: 1 } }
    await rows.insertOne({ _id: 1 }, local)
    expect(await stream.tryNext()).to.equal(null)
    await admin.command({ holdMajority: 'rollBack' })
    await rows.insertOne({ _id: 2 })
    await admin.command({ holdMajority: 'begin' })
    await rows.insertOne({ _id: 3 }, local)
    expect(ids(await take(stream, 1))).to.deep.equal([2])
    await admin.command({ holdMajority: 'end' })
    expect(ids(await take(stream, 1))).to.deep.equal([3])
  })

  it('refuses unsupported options, other stages and changed tokens', async () => {
    const refused = async (pipeline: Document[], options: object = {}): Promise<unknown> => {
      const stream = rows.watch(pipeline, options)
      streams.push(stream)
      await rows.insertOne({ _id: new ObjectId() })
      return (await failure(stream.next())).code
    }
    expect(await refused([], { fullDocumentBeforeChange: 'required' })).to.equal(9)
    expect(await refused([], { fullDocument: 'required' })).to.equal(9)
    expect(await refused([], { showExpandedEvents: true })).to.equal(9)
    expect(await refused([], { startAtOperationTime: new Timestamp(1n) })).to.equal(9)
    expect(await refused([], { resumeAfter: { _data: 'x' } })).to.equal(260)
    expect(await refused([{ $group: { _id: 1 } }])).to.equal(20)
    const stream = await watch([{ $project: { _id: 0 } }]).catch(() => null)
    await rows.insertOne({ _id: new ObjectId() })
    if (stream) expect((await failure(stream.next())).code).to.equal(280)
    const command = { aggregate: 'rows', pipeline: [{ $changeStream: { other: 1 } }], cursor: {} }
    expect((await failure(database.command(command))).code).to.equal(40415)
    await client.withSession(async (session) => {
      session.startTransaction()
      const inside = { aggregate: 'rows', pipeline: [{ $changeStream: {} }], cursor: {} }
      expect((await failure(database.command(inside, { session }))).code).to.equal(263)
    })
  })

  it('never skips events of an engine that is killed', async () => {
    const path = new URL(`../ownership-child${import.meta.url.slice(-3)}`, import.meta.url)
    const folder = temporaryFolder()
    const child = fork(path, [folder], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] })
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    const uri = line.toString().trim().split(' ')[1] ?? ''
    const guest = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 500 })
    const inside = guest.db('watched').collection<Row>('rows')
    const stream = inside.watch([], { maxAwaitTimeMS: 10_000 })
    const next = stream.next()
    const written = (async () => {
      for (let _id = 1; ; _id++) await inside.insertOne({ _id })
    })().catch(() => undefined)
    const { _id: resumeAfter } = await next
    child.kill('SIGKILL')
    await written
    await stream.close()
    await guest.close()
    const again = await startEmbedded({ directory: folder, durable: false })
    const survivor = await MongoClient.connect(again.uri)
    const resumed = survivor.db('watched').collection('rows').watch([], { resumeAfter })
    expect((await failure(resumed.next())).code).to.equal(286)
    await resumed.close()
    await survivor.close()
    await again.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
