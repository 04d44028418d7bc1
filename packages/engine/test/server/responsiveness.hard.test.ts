import { rmSync } from 'node:fs'
import { expect } from 'chai'
import type { Collection, Document } from 'mongodb'
import { MongoClient, MongoServerError } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import type { EmbeddedEngine } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

const MAX_TIME_MS_EXPIRED = 50
const MATCH_TOO_LONG = 51156
const ROWS = 400
const LIMIT_MS = 1_500
/** The upper bound counts ticks of this process, because a busy machine delays its ticks and the engine alike. */
const TICK_MS = 20
/** Minimum number of short commands during a long one. A count, because a machine may be slow. */
const ANSWERED = 3

type Rows = Collection<Document & { _id: number }>

/** Joins each row with all rows several times: billions of documents. */
function fanOut(depth: number): Document[] {
  return depth === 0
    ? []
    : [
        { $lookup: { from: 'rows', pipeline: fanOut(depth - 1), as: 'found' } },
        { $unset: 'found.x' },
      ]
}

/** Nested loops over a range within one expression. */
function loops(depth: number): Document {
  return {
    $reduce: {
      input: { $range: [0, 100_000] },
      initialValue: 0,
      in: { $add: ['$$value', depth === 0 ? 1 : loops(depth - 1)] },
    },
  }
}

/** Nested alternatives: choosing an index for each takes seconds. */
function alternatives(): Document[] {
  const some = Array.from({ length: 400 }, (_, n) => ({ n: -1 - n, a0: 1 }))
  return Array.from({ length: 400 }, () => ({ $or: some }))
}

const LONG: Readonly<Record<string, (rows: Rows) => Promise<unknown>>> = {
  'sub-pipelines of a lookup': (rows) =>
    rows.aggregate(fanOut(5), { maxTimeMS: LIMIT_MS }).toArray(),
  'an expression': (rows) =>
    rows.aggregate([{ $project: { n: loops(4) } }], { maxTimeMS: LIMIT_MS }).toArray(),
  'a filter by an expression': (rows) =>
    rows.find({ $expr: { $gt: [loops(4), 0] } }, { maxTimeMS: LIMIT_MS }).toArray(),
  'a count': (rows) =>
    rows.countDocuments({ $expr: { $gt: [loops(4), 0] } }, { maxTimeMS: LIMIT_MS }),
  'values told apart': (rows) =>
    rows.distinct('n', { $expr: { $gt: [loops(4), 0] } }, { maxTimeMS: LIMIT_MS }),
  'the choice of indexes': (rows) =>
    rows.find({ $or: alternatives() }, { maxTimeMS: LIMIT_MS }).toArray(),
  'arrays put together': (rows) =>
    rows
      .aggregate(
        [
          { $lookup: { from: 'texts', pipeline: [{ $project: { list: 1 } }], as: 'texts' } },
          { $set: { list: { $first: '$texts.list' } } },
          { $project: { n: { $size: { $concatArrays: Array(400).fill('$list') } } } },
        ],
        { maxTimeMS: LIMIT_MS },
      )
      .toArray(),
  'long texts': (rows) =>
    rows
      .aggregate(
        [
          { $lookup: { from: 'texts', pipeline: [], as: 'texts' } },
          { $match: { 'texts.text': { $regex: 'a+b+c', $options: 'i' } } },
        ],
        { maxTimeMS: LIMIT_MS },
      )
      .toArray(),
  'a regular expression that never ends': (rows) =>
    rows.find({ text: { $regex: '^(a+)+$' } }, { maxTimeMS: LIMIT_MS }).toArray(),
  'a regular expression of choices alone': (rows) =>
    rows.find({ text: { $regex: `^${'(a|a)'.repeat(38)}c` } }, { maxTimeMS: LIMIT_MS }).toArray(),
  'a regular expression that documents hold': (rows) =>
    rows
      .aggregate([{ $match: { $expr: { $regexMatch: { input: '$text', regex: '$pattern' } } } }], {
        maxTimeMS: LIMIT_MS,
      })
      .toArray(),
}

/** Commands that run while others wait. */
const ENDLESS: Readonly<Record<string, (rows: Rows, client: MongoClient) => Promise<unknown>>> = {
  'an update': (rows) => rows.updateMany({ text: { $regex: '^(a+)+$' } }, { $set: { n: 0 } }),
  'an update by a pipeline': (rows) =>
    rows.updateMany({}, [
      { $set: { found: { $regexMatch: { input: '$text', regex: '^(a+)+$' } } } },
    ]),
  'a deletion': (rows) => rows.deleteOne({ text: { $regex: `^${'(a|a)'.repeat(38)}c` } }),
  'a findAndModify': (rows) =>
    rows.findOneAndUpdate({ text: { $regex: '^(a|aa)+$' } }, { $set: { n: 0 } }),
  'an array filter': (rows) =>
    rows.updateOne(
      { _id: 9 },
      { $set: { 'list.$[x]': '' } },
      { arrayFilters: [{ x: { $regex: '^(a+)+$' } }] },
    ),
  'a read of a transaction': (rows, client) =>
    client.withSession((session) =>
      session.withTransaction(() =>
        rows.find({ text: { $regex: '^(a+)+$' } }, { session }).toArray(),
      ),
    ),
  'a list of collections': (_, client) =>
    client
      .db('long')
      .listCollections({ name: { $regex: '^(a+)+$' } })
      .toArray(),
}

describe('a long command of the embedded engine', function () {
  this.slow(5_000)
  let directory: string
  let engine: EmbeddedEngine
  let client: MongoClient
  let rows: Rows

  before(async () => {
    directory = temporaryFolder()
    engine = await startEmbedded({ directory, durable: false })
    client = await MongoClient.connect(engine.uri)
    rows = client.db('long').collection('rows')
    const text = `${'a'.repeat(40)}!`
    const pattern = '^(a+)+$'
    await rows.insertMany(
      Array.from({ length: ROWS }, (_, _id) => ({ _id, n: _id, text, pattern, list: [text] })),
    )
    await client.db('long').createCollection(text)
    const texts = client.db('long').collection('texts')
    await texts.insertMany(
      Array.from({ length: 4 }, () => ({
        text: 'a'.repeat(4_000_000),
        list: Array<number>(400_000).fill(1),
      })),
    )
    for (let i = 0; i < 20; i++) await rows.createIndex({ [`a${i}`]: 1, n: 1 })
  })

  after(async () => {
    await client.close()
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })

  for (const [label, run] of Object.entries(LONG)) {
    it(`ends at its deadline and delays no short command: ${label}`, async () => {
      const start = performance.now()
      let ticks = 0
      const timer = setInterval(() => (ticks += 1), TICK_MS)
      const state = { isOver: false }
      const long = run(rows)
        .catch((error: unknown) => error)
        .finally(() => (state.isOver = true))
      let answered = 0
      while (!state.isOver) {
        await client.db('long').command({ hello: 1 })
        expect(await rows.findOne({ _id: 7 })).to.include({ n: 7 })
        await rows.updateOne({ _id: 8 }, { $inc: { n: 1 } })
        answered++
      }
      const tookMs = performance.now() - start
      clearInterval(timer)
      const error = await long
      expect(error).to.be.instanceOf(MongoServerError)
      expect((error as MongoServerError).code, String(error)).to.equal(MAX_TIME_MS_EXPIRED)
      expect(tookMs).to.be.at.least(LIMIT_MS - 50)
      expect(ticks * TICK_MS).to.be.at.most(LIMIT_MS + 5_000)
      expect(answered).to.be.at.least(ANSWERED)
    })
  }

  for (const [label, run] of Object.entries(ENDLESS)) {
    it(`stops an exponential match: ${label}`, async () => {
      const error = await run(rows, client).catch((thrown: unknown) => thrown)
      expect((error as MongoServerError).code, String(error)).to.equal(MATCH_TOO_LONG)
      expect(await rows.findOne({ _id: 7 })).to.include({ n: 7 })
    })
  }

  it('ends a match in a write at its deadline', async () => {
    const error = await rows
      .updateMany({ text: { $regex: '^(a+)+$' } }, { $set: { n: 0 } }, { maxTimeMS: 200 })
      .catch((thrown: unknown) => thrown)
    expect((error as MongoServerError).code, String(error)).to.equal(MAX_TIME_MS_EXPIRED)
  })

  it('reads earlier acknowledged writes and continues its cursor in the reader process', async () => {
    const numbers = client.db('long').collection<Document & { _id: number }>('numbers')
    await numbers.insertMany(Array.from({ length: 10_500 }, (_, _id) => ({ _id, n: _id % 7 })))
    await numbers.updateOne({ _id: 10_499 }, { $set: { changed: true } })
    const found = await numbers.find({ n: { $gte: 0 } }).toArray()
    expect(found.map(({ _id }) => _id)).to.deep.equal(Array.from({ length: 10_500 }, (_, i) => i))
    expect(found.at(-1)).to.include({ changed: true })
    const cursor = numbers.find({ n: 3 }).batchSize(50)
    expect(await cursor.next()).to.include({ n: 3 })
    await cursor.close()
  })
})
