import { expect } from 'chai'
import { MongoServerError } from 'mongodb'
import type { Collection, Db, Document, MongoClient } from 'mongodb'
import { databaseName, TARGETS } from './targets.ts'

interface Row extends Document {
  _id: number
}

type Case = readonly [label: string, before: Document, pipeline: Document[], after: Document]

/** The document's _id is 1. */
const CASES: readonly Case[] = [
  ['$set by an expression', { a: 1 }, [{ $set: { b: { $add: ['$a', 2] } } }], { a: 1, b: 3 }],
  ['$addFields', { a: 1 }, [{ $addFields: { b: '$a' } }], { a: 1, b: 1 }],
  [
    'stages read the output of earlier stages',
    { a: 1 },
    [{ $set: { b: 1 } }, { $set: { c: '$b' } }],
    { a: 1, b: 1, c: 1 },
  ],
  ['$unset of several', { a: 1, b: 2, c: 3 }, [{ $unset: ['a', 'c'] }], { b: 2 }],
  ['$project', { a: 1, b: 2 }, [{ $project: { b: 1 } }], { b: 2 }],
  ['$project without _id keeps it', { a: 1 }, [{ $project: { _id: 0, a: 1 } }], { a: 1 }],
  ['$replaceWith keeps the _id', { a: { b: 1 } }, [{ $replaceWith: '$a' }], { b: 1 }],
  ['$replaceRoot', { a: { b: 1 } }, [{ $replaceRoot: { newRoot: '$a' } }], { b: 1 }],
  ['a literal', {}, [{ $set: { a: { $literal: '$b' } } }], { a: '$b' }],
  [
    'the place in a list',
    { a: 'y' },
    [{ $set: { n: { $indexOfArray: [['x', 'y'], '$a'] } } }],
    { a: 'y', n: 1 },
  ],
]

type Refusal = readonly [label: string, pipeline: Document[], codes: number[], options?: Document]

const REFUSALS: readonly Refusal[] = [
  ['another _id', [{ $set: { _id: 2 } }], [66]],
  ['a stage that only aggregations allow', [{ $match: { a: 1 } }], [72]],
  ['an unknown stage', [{ $nothing: {} }], [40324, 72]],
  ['filters of arrays', [{ $set: { a: 1 } }], [9, 2], { arrayFilters: [{ x: 1 }] }],
]

for (const target of TARGETS) {
  describe(`updates by a pipeline: ${target.name}`, () => {
    let client: MongoClient
    let close: () => Promise<void>
    let database: Db
    let created = 0

    before(async () => {
      ;({ client, close } = await target.open())
      database = client.db(databaseName())
    })

    after(async () => {
      await database.dropDatabase()
      await close()
    })

    const collection = async (...documents: Row[]): Promise<Collection<Row>> => {
      const made = database.collection<Row>(`c${created++}`)
      if (documents.length > 0) await made.insertMany(documents)
      return made
    }

    for (const [label, before, pipeline, after] of CASES) {
      it(label, async () => {
        const made = await collection({ _id: 1, ...before })
        await made.updateOne({ _id: 1 }, pipeline)
        expect(await made.findOne()).to.deep.equal({ _id: 1, ...after })
        expect(Object.keys((await made.findOne()) ?? {})[0]).to.equal('_id')
      })
    }

    for (const [label, pipeline, codes, options] of REFUSALS) {
      it(`refuses ${label}`, async () => {
        const made = await collection({ _id: 1, a: 1 })
        const error: unknown = await made.updateOne({ _id: 1 }, pipeline, options).then(
          () => null,
          (failure: unknown) => failure,
        )
        expect(error).to.be.instanceOf(MongoServerError)
        expect((error as MongoServerError).code).to.be.oneOf(codes)
        expect(await made.findOne()).to.deep.equal({ _id: 1, a: 1 })
      })
    }

    it('updates each matching document and its index entries', async () => {
      const made = await collection({ _id: 1, a: 1 }, { _id: 2, a: 2 }, { _id: 3, a: 3 })
      await made.createIndex({ b: 1 }, { partialFilterExpression: { b: { $gt: 0 } } })
      await made.createIndex({ a: 1 }, { partialFilterExpression: { a: { $gt: 0 } } })
      const pipeline = [{ $set: { b: { $multiply: ['$a', 10] } } }, { $unset: 'a' }]
      const { matchedCount, modifiedCount } = await made.updateMany({ a: { $gte: 2 } }, pipeline)
      expect([matchedCount, modifiedCount]).to.deep.equal([2, 2])
      const found = await made
        .find({ b: { $gt: 0 } })
        .sort({ b: 1 })
        .toArray()
      expect(found).to.deep.equal([
        { _id: 2, b: 20 },
        { _id: 3, b: 30 },
      ])
      expect(await made.find({ a: { $gt: 0 } }).toArray()).to.deep.equal([{ _id: 1, a: 1 }])
    })

    it('upserts a document from the equalities of the filter', async () => {
      const made = await collection()
      await made.updateOne({ _id: 1, a: 2 }, [{ $set: { b: '$a' } }], { upsert: true })
      expect(await made.findOne()).to.deep.equal({ _id: 1, a: 2, b: 2 })
    })

    it('returns the updated document of findOneAndUpdate', async () => {
      const made = await collection({ _id: 1, a: 1 })
      const pipeline = [{ $set: { a: { $add: ['$a', 1] } } }]
      const found = await made.findOneAndUpdate({}, pipeline, { returnDocument: 'after' })
      expect(found).to.deep.equal({ _id: 1, a: 2 })
    })
  })
}
