import { expect } from 'chai'
import { BSON, Long, MongoServerError, ObjectId } from 'mongodb'
import type { Collection, Db, Document, MongoClient } from 'mongodb'
import { MATCHES, PIPELINES, PROJECTIONS, SORTS, UPDATES } from './contract-cases.ts'
import type { Departs } from './contract-cases.ts'
import { databaseName, isDocumentDb, TARGETS } from './targets.ts'

interface Row extends Document {
  _id: number
}

type Case = Collection<Row>

const EXACT = { promoteValues: false, promoteLongs: false, bsonRegExp: true } as const

// Types count: 1, 1.0 and NumberLong(1) are three different results.
function exactly(value: unknown): string {
  return BSON.EJSON.stringify(value, { relaxed: false })
}

function numbered(documents: readonly Document[]): Document[] {
  return documents.map((document, _id) => ({ _id, ...document }))
}

async function failure(work: Promise<unknown>): Promise<MongoServerError> {
  try {
    await work
  } catch (error) {
    if (error instanceof MongoServerError) return error
    throw error
  }
  throw new Error('should have failed')
}

function withSelf(pipeline: Document[], name: string): Document[] {
  return replaceSelf(pipeline, name) as Document[]
}

function replaceSelf(value: unknown, name: string): unknown {
  if (value === '$self') return name
  if (Array.isArray(value)) return value.map((entry) => replaceSelf(entry, name))
  if (
    typeof value !== 'object' ||
    value === null ||
    '_bsontype' in value ||
    value instanceof Date ||
    value instanceof RegExp
  )
    return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, replaceSelf(entry, name)]),
  )
}

function nested(levels: number): Document {
  return levels === 0 ? {} : { a: nested(levels - 1) }
}

for (const target of TARGETS) {
  describe(`contract: ${target.name}`, function () {
    let client: MongoClient
    let close: () => Promise<void>
    let database: Db
    let isDeparting = false
    let created = 0

    before(async () => {
      ;({ client, close } = await target.open())
      database = client.db(databaseName())
      isDeparting = await isDocumentDb(client)
    })

    after(async () => {
      await database.dropDatabase()
      await close()
    })

    const collection = async (documents: Document[] = []): Promise<Case> => {
      const made = database.collection<Row>(`c${created++}`)
      if (documents.length > 0) await made.insertMany(documents as never)
      return made
    }

    const check = (label: string, departs: Departs | undefined, run: () => Promise<void>): void => {
      it(label, async function () {
        if (departs && isDeparting) this.skip()
        await run()
      })
    }

    describe('filters', () => {
      for (const [label, documents, filter, ids, departs] of MATCHES) {
        check(label, departs, async () => {
          const found = await (
            await collection(numbered(documents))
          )
            .find(filter)
            .sort({ _id: 1 })
            .toArray()
          expect(found.map(({ _id }) => _id)).to.deep.equal(ids)
        })
      }
    })

    describe('sorts', () => {
      for (const [label, documents, sort, ids, departs] of SORTS) {
        check(label, departs, async () => {
          const found = await (await collection(numbered(documents))).find().sort(sort).toArray()
          expect(found.map(({ _id }) => _id)).to.deep.equal(ids)
        })
      }
    })

    describe('updates', () => {
      for (const [label, before, update, after, { filter, ...options } = {}, departs] of UPDATES) {
        check(label, departs, async () => {
          const made = await collection([{ _id: 1, ...before }])
          await made.updateOne({ _id: 1, ...filter }, update, options)
          expect(exactly(await made.findOne({}, EXACT))).to.equal(exactly({ _id: 1, ...after }))
        })
      }
    })

    describe('pipelines', () => {
      for (const [label, documents, pipeline, result, departs] of PIPELINES) {
        check(label, departs, async () => {
          const made = await collection(numbered(documents))
          const found = await made
            .aggregate(withSelf(pipeline, made.collectionName), EXACT)
            .toArray()
          expect(exactly(found)).to.equal(exactly(result))
        })
      }
    })

    describe('projections', () => {
      for (const [label, document, projection, result, departs] of PROJECTIONS) {
        check(label, departs, async () => {
          const made = await collection([{ _id: 1, ...document }])
          expect(exactly(await made.findOne({}, { projection, ...EXACT }))).to.equal(
            exactly(result),
          )
        })
      }
    })

    describe('refusals', () => {
      const REFUSALS: readonly (readonly [
        label: string,
        run: (made: Case) => Promise<unknown>,
        codes: number[],
        departs?: Departs,
      ])[] = [
        ['an unknown filter operator', (made) => made.findOne({ a: { $foo: 1 } }), [2]],
        ['an unknown top-level operator', (made) => made.findOne({ $foo: 1 }), [2]],
        ['$in without an array', (made) => made.findOne({ a: { $in: 1 as never } }), [2]],
        ['$or empty', (made) => made.findOne({ $or: [] }), [2]],
        ['a negative $size', (made) => made.findOne({ a: { $size: -1 } }), [2, 9]],
        ['a bad $type', (made) => made.findOne({ a: { $type: 'nothing' as never } }), [2]],
        ['a broken regex', (made) => made.findOne({ a: { $regex: '(' } }), [51091, 5107200, 2]],
        ['an unknown modifier', (made) => made.updateOne({}, { $foo: { a: 1 } }), [9]],
        [
          'conflicting modifiers',
          (made) => made.updateOne({}, { $set: { a: 1 }, $inc: { a: 1 } }),
          [40],
        ],
        ['conflicting paths', (made) => made.updateOne({}, { $set: { 'a.b': 1, a: 1 } }), [40]],
        ['a changed _id', (made) => made.updateOne({ _id: 1 }, { $set: { _id: 2 } }), [66]],
        ['a replacement that changes _id', (made) => made.replaceOne({ _id: 1 }, { _id: 2 }), [66]],
        ['$inc of a string', (made) => made.updateOne({ _id: 1 }, { $inc: { s: 1 } }), [14]],
        [
          '$push to a scalar',
          (made) => made.updateOne({ _id: 1 }, { $push: { s: 1 } as never }),
          [2],
        ],
        ['$set below a scalar', (made) => made.updateOne({ _id: 1 }, { $set: { 's.b': 1 } }), [28]],
        [
          '$ without a match of an array',
          (made) => made.updateOne({ _id: 1 }, { $set: { 'list.$': 1 } }),
          [2],
        ],
        ['an unknown stage', (made) => made.aggregate([{ $foo: 1 }]).toArray(), [40324]],
        [
          'an unknown expression',
          (made) => made.aggregate([{ $project: { a: { $foo: 1 } } }]).toArray(),
          [168, 31325],
        ],
        [
          'an unknown accumulator',
          (made) => made.aggregate([{ $group: { _id: 1, a: { $foo: 1 } } }]).toArray(),
          [15952],
        ],
        [
          'mixed inclusion and exclusion',
          (made) => made.findOne({}, { projection: { a: 1, b: 0 } }),
          [31254],
        ],
        [
          'mixed exclusion and inclusion',
          (made) => made.findOne({}, { projection: { a: 0, b: 1 } }),
          [31253],
          { documentdb: 'names the other code' },
        ],
        [
          'colliding projections',
          (made) => made.findOne({}, { projection: { a: 1, 'a.b': 1 } }),
          [31249, 31250],
        ],
        [
          '$elemMatch below another field in a projection',
          (made) => made.findOne({}, { projection: { 'a.b': { $elemMatch: { $gt: 1 } } } }),
          [31275, 2],
        ],
        [
          '$slice of zero elements in a projection',
          (made) => made.findOne({}, { projection: { list: { $slice: [0, 0] } } }),
          [28724],
        ],
        [
          '$bit without an operation',
          (made) => made.updateOne({ _id: 1 }, { $bit: { n: {} as never } }),
          [2],
        ],
        [
          '$bit by a name of Object',
          (made) => made.updateOne({ _id: 1 }, { $bit: { n: { constructor: 1 } as never } }),
          [2],
        ],
        [
          '$rename out of an element',
          async (made) => {
            await made.insertOne({ _id: 2, a: [{ b: 1 }] })
            return made.updateOne({ _id: 2 }, { $rename: { 'a.0.b': 'c' } })
          },
          [2],
        ],
        [
          '$rename into an element',
          async (made) => {
            await made.insertOne({ _id: 2, a: [1], b: 2 })
            return made.updateOne({ _id: 2 }, { $rename: { b: 'a.0' } })
          },
          [2],
        ],
        [
          '$push with an empty sort',
          (made) =>
            made.updateOne({ _id: 1 }, { $push: { p: { $each: [1], $sort: {} } } as never }),
          [2],
        ],
        ...[
          [{ $filter: { input: [1, 2], cond: true, limit: -1 } }, 327392],
          [{ $setEquals: [[1], null] }, 17044],
          [{ $setIsSubset: ['$nothing', [1]] }, [17046, 17310]],
          [{ $anyElementTrue: [null] }, 17041],
          [{ $indexOfArray: [[1, 2], 2, -1] }, 40097],
          [{ $toDouble: '0x10' }, 241],
          [{ $toDate: '1' }, 241],
          [{ $toDate: 'March 7, 2020' }, 241],
          [{ $toLong: '9223372036854775808' }, 241],
        ].map(
          ([expression, code]) =>
            [
              `the expression ${JSON.stringify(expression)}`,
              (made: Case) => made.aggregate([{ $project: { a: expression } }]).toArray(),
              [code as number | number[]].flat(),
            ] as [string, (made: Case) => Promise<unknown>, number[]],
        ),
        ...[
          [{ $unwind: { path: '$list', includeArrayIndex: '' } }, 28810],
          [{ $unwind: { path: '$list', includeArrayIndex: '$i' } }, 28822],
        ].map(
          ([stage, code]) =>
            [
              `the stage ${JSON.stringify(stage)}`,
              (made: Case) => made.aggregate([stage as Document]).toArray(),
              [code as number],
            ] as [string, (made: Case) => Promise<unknown>, number[]],
        ),
        [
          '$sortByCount of a text',
          (made) => made.aggregate([{ $sortByCount: 'x' }]).toArray(),
          [40147, 40148, 40149],
        ],
        [
          'an accumulator of several values',
          (made) => made.aggregate([{ $group: { _id: 1, a: { $sum: ['$n', '$n'] } } }]).toArray(),
          [40237],
          { documentdb: 'sums no values' },
        ],
        [
          'a time limit that is none',
          (made) => made.findOne({}, { maxTimeMS: 2147483648 }),
          [2],
          { documentdb: 'takes it' },
        ],
        ['an unknown command', () => database.command({ foo: 1 }), [59]],
        [
          'an unknown option',
          (made) => database.command({ find: made.collectionName, foo: 1 }),
          [40415, 9, 2],
        ],
        ['an array as _id', (made) => made.insertOne({ _id: [1] } as never), [2, 53]],
        ['a second document with the same _id', (made) => made.insertOne({ _id: 1 }), [11000]],
        ['$mod by NaN', (made) => made.findOne({ a: { $mod: [NaN, 0] } }), [2]],
        [
          '$expr within $elemMatch',
          (made) => made.findOne({ list: { $elemMatch: { $expr: { $eq: [1, 1] } } } }),
          [224, 2],
          { documentdb: 'asks it' },
        ],
        [
          '$facet within $facet',
          (made) => made.aggregate([{ $facet: { a: [{ $facet: { b: [] } }] } }]).toArray(),
          [40600],
        ],
        [
          '$let of a variable that the system has',
          (made) =>
            made.aggregate([{ $project: { a: { $let: { vars: { ROOT: 1 }, in: 1 } } } }]).toArray(),
          [9, 16867],
        ],
        [
          '$toDouble of a decimal beyond all doubles',
          (made) =>
            made
              .aggregate([{ $project: { a: { $toDouble: BSON.Decimal128.fromString('1E+400') } } }])
              .toArray(),
          [241],
        ],
        [
          'a hint of no index',
          (made) => made.find().hint('nothing').toArray(),
          [2],
          { documentdb: 'overlooks it' },
        ],
        [
          'a hint of no index, of an update',
          (made) => made.updateOne({}, { $set: { a: 1 } }, { hint: { b: 1 } }),
          [2],
          { documentdb: 'overlooks it' },
        ],
        [
          'a hint of no index, of a count, a pipeline, a deletion and a findAndModify',
          async (made) => {
            const codes: unknown[] = []
            for (const run of [
              () => made.countDocuments({}, { hint: 'nothing' }),
              () => made.aggregate([{ $match: { a: 1 } }], { hint: 'nothing' }).toArray(),
              () => made.deleteOne({ s: 'no' }, { hint: 'nothing' }),
              () =>
                made.findOneAndUpdate({ s: 'no' }, { $set: { a: 1 } }, { hint: { nothing: 1 } }),
            ]) {
              codes.push((await failure(run())).code)
            }
            expect(codes).to.deep.equal([2, 2, 2, 2])
            return made.findOne({}, { hint: 'nothing' })
          },
          [2],
          { documentdb: 'overlooks it' },
        ],
        [
          'a hint of a partial index that lacks the matches',
          async (made) => {
            await made.createIndex({ a: 1 }, { partialFilterExpression: { a: { $gt: 5 } } })
            return made.find({ a: 1 }).hint('a_1').toArray()
          },
          [2],
          { documentdb: 'overlooks it' },
        ],
        [
          'a write concern of several nodes',
          (made) => made.insertOne({ _id: 5 }, { writeConcern: { w: 10 } }),
          [100],
          { documentdb: 'overlooks it' },
        ],
        [
          'a write concern that has a name of its own',
          (made) =>
            database.command({
              insert: made.collectionName,
              documents: [{ _id: 5 }],
              writeConcern: { w: 'everywhere' },
            }),
          [79],
          { documentdb: 'overlooks it' },
        ],
        [
          'a snapshot read outside of a transaction',
          (made) => made.find({}, { readConcern: { level: 'snapshot' } }).toArray(),
          [72, 246, 123],
          { documentdb: 'overlooks it' },
        ],
        [
          'a result beyond 16 MB',
          async (made) => {
            const text = 'x'.repeat(6_000_000)
            for (const _id of [2, 3, 4]) await made.insertOne({ _id, text })
            return made.aggregate([{ $group: { _id: null, all: { $push: '$text' } } }]).toArray()
          },
          [10334, 146],
        ],
        [
          'distinct values beyond 16 MB',
          async (made) => {
            for (const _id of [2, 3, 4])
              await made.insertOne({ _id, text: String(_id).repeat(6_000_000) })
            return made.distinct('text')
          },
          [17217, 10334],
          { documentdb: 'answers all the same' },
        ],
        [
          'a 65th index',
          (made) =>
            made.createIndexes(Array.from({ length: 64 }, (_, i) => ({ key: { [`a${i}`]: 1 } }))),
          [67],
        ],
        [
          'a document of 181 levels',
          (made) => made.insertOne({ _id: 2, a: nested(180) }),
          [15],
          { documentdb: 'takes it' },
        ],
        [
          'an update into 181 levels',
          async (made) => {
            await made.insertOne({ _id: 2, a: nested(100) })
            return made.updateOne({ _id: 2 }, { $set: { [`${'a.'.repeat(100)}a`]: nested(80) } })
          },
          [15],
          { documentdb: 'takes it' },
        ],
        [
          'a command of 199 levels and more, but keeps its connection',
          async (made) => {
            for (const levels of [197, 198, 199, 250]) {
              const error = await failure(made.insertOne({ _id: 2, a: nested(levels) }))
              expect([levels, error.code]).to.deep.equal([levels, 15])
            }
            return made.insertOne({ _id: 1 })
          },
          [11000],
          { documentdb: 'takes it' },
        ],
        [
          'parallel arrays in an index',
          async (made) => {
            await made.createIndex({ p: 1, q: 1 })
            return made.insertOne({ _id: 2, p: [1], q: [2] })
          },
          [171],
          { documentdb: 'indexes them' },
        ],
        [
          'a sort by two arrays',
          async (made) => {
            await made.insertOne({ _id: 2, p: [1], q: [2] })
            return made.find().sort({ p: 1, q: 1 }).toArray()
          },
          [2],
          { documentdb: 'sorts them' },
        ],
        [
          'a sort by two arrays, one of them empty, for a page, backwards and behind a $match',
          async (made) => {
            await made.insertOne({ _id: 2, p: [], q: [2] })
            return made
              .aggregate([
                { $match: { _id: 2 } },
                { $sort: { q: -1, _id: 1, p: -1 } },
                { $limit: 1 },
              ])
              .toArray()
          },
          [2],
          { documentdb: 'sorts them' },
        ],
        [
          'a sort by two arrays within the elements of a third',
          async (made) => {
            await made.insertOne({ _id: 2, a: [{ p: [1], q: [] }] })
            return made.find().sort({ 'a.p': 1, 'a.q': 1 }).toArray()
          },
          [2],
          { documentdb: 'sorts them' },
        ],
        [
          'the same index name with another key',
          async (made) => {
            await made.createIndex({ a: 1 }, { name: 'x' })
            return made.createIndex({ b: 1 }, { name: 'x' })
          },
          [86],
        ],
        [
          'the same index under another name',
          async (made) => {
            await made.createIndex({ a: 1 }, { name: 'x' })
            return made.createIndex({ a: 1 }, { name: 'y' })
          },
          [85],
        ],
        ['dropping an unknown index', (made) => made.dropIndex('nothing'), [27]],
        ['dropping the index of _id', (made) => made.dropIndex('_id_'), [72]],
        [
          'a cursor that is not there',
          (made) =>
            database.command({ getMore: Long.fromNumber(12345), collection: made.collectionName }),
          [43],
        ],
        [
          'a collection that is there',
          (made) => database.createCollection(made.collectionName),
          [48],
          { documentdb: 'makes no difference' },
        ],
        [
          '$sort by a bad direction',
          (made) => database.command({ find: made.collectionName, sort: { a: 2 } }),
          [15975, 2],
          { documentdb: 'answers an internal error' },
        ],
        [
          'a collection name with a dollar',
          () => database.command({ insert: 'a$b', documents: [{}] }),
          [73],
        ],
      ]
      for (const [label, run, codes, departs] of REFUSALS) {
        check(label, departs, async () => {
          const made = await collection([{ _id: 1, s: 'text', list: [1] }])
          expect((await failure(run(made))).code).to.be.oneOf(codes)
        })
      }
    })

    describe('writes', () => {
      it('reports matched, modified and upserted counts', async () => {
        const made = await collection([
          { _id: 1, a: 1 },
          { _id: 2, a: 1 },
        ])
        const same = await made.updateMany({ a: 1 }, { $set: { a: 1 } })
        expect([same.matchedCount, same.modifiedCount]).to.deep.equal([2, 0])
        const changed = await made.updateMany({ a: 1 }, { $set: { a: 2 } })
        expect([changed.matchedCount, changed.modifiedCount]).to.deep.equal([2, 2])
      })

      it('upserts from the equalities of the filter', async () => {
        const made = await collection()
        const result = await made.updateOne(
          { _id: 7, 'a.b': 1, c: { $gt: 5 }, $and: [{ d: 2 }] },
          { $set: { e: 3 }, $setOnInsert: { f: 4 } },
          { upsert: true },
        )
        expect([result.upsertedCount, result.upsertedId, result.matchedCount]).to.deep.equal([
          1, 7, 0,
        ])
        expect(await made.findOne()).to.deep.equal({ _id: 7, a: { b: 1 }, d: 2, e: 3, f: 4 })
      })

      it('makes an _id when it upserts without one', async () => {
        const made = await collection()
        const { upsertedId } = await made.updateOne({ a: 1 }, { $set: { b: 1 } }, { upsert: true })
        expect(upsertedId).to.be.instanceOf(ObjectId)
      })

      it('replaces, keeping _id', async () => {
        const made = await collection([{ _id: 1, a: 1 }])
        await made.replaceOne({ a: 1 }, { b: 2 })
        expect(await made.findOne()).to.deep.equal({ _id: 1, b: 2 })
      })

      it('puts _id first', async () => {
        const made = await collection()
        await made.insertOne({ a: 1, _id: 5 })
        expect(Object.keys((await made.findOne()) ?? {})).to.deep.equal(['_id', 'a'])
      })

      it('stops an ordered batch at its first error', async () => {
        const made = await collection()
        const error = await failure(made.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }] as never))
        expect(error.code).to.equal(11000)
        expect(await made.countDocuments()).to.equal(1)
      })

      it('continues after errors in an unordered batch', async () => {
        const made = await collection()
        const error = await failure(
          made.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }, { _id: 2 }] as never, {
            ordered: false,
          }),
        )
        const { writeErrors } = error as unknown as {
          writeErrors: { index: number; code: number }[]
        }
        expect(writeErrors.map(({ index, code }) => [index, code])).to.deep.equal([
          [1, 11000],
          [3, 11000],
        ])
        expect(await made.countDocuments()).to.equal(2)
      })

      it('names pattern and value of a duplicate key', async function () {
        if (isDeparting) this.skip()
        const made = await collection([{ _id: 1, a: 'x', b: 1 }])
        await made.createIndex({ a: 1, b: 1 }, { unique: true })
        const error = await failure(made.insertOne({ _id: 2, a: 'x', b: 1 }))
        expect(error.message).to.match(
          /^E11000 duplicate key error collection: .* index: a_1_b_1 dup key: { a: "x", b: 1 }/,
        )
        expect([error['keyPattern'], error['keyValue']]).to.deep.equal([
          { a: 1, b: 1 },
          { a: 'x', b: 1 },
        ])
      })

      it('runs bulk writes', async () => {
        const made = await collection([
          { _id: 1, a: 1 },
          { _id: 2, a: 1 },
        ])
        const result = await made.bulkWrite([
          { insertOne: { document: { _id: 3, a: 3 } } },
          { updateMany: { filter: { a: 1 }, update: { $inc: { a: 10 } } } },
          { deleteOne: { filter: { _id: 2 } } },
          { replaceOne: { filter: { _id: 9 }, replacement: { a: 9 }, upsert: true } },
        ])
        expect([
          result.insertedCount,
          result.modifiedCount,
          result.deletedCount,
          result.upsertedCount,
        ]).to.deep.equal([1, 2, 1, 1])
        expect(await made.find().sort({ _id: 1 }).toArray()).to.deep.equal([
          { _id: 1, a: 11 },
          { _id: 3, a: 3 },
          { _id: 9, a: 9 },
        ])
      })

      it('deletes one document or all matches', async () => {
        const made = await collection(numbered([{ a: 1 }, { a: 1 }, { a: 1 }]))
        expect((await made.deleteOne({ a: 1 })).deletedCount).to.equal(1)
        expect((await made.deleteMany({ a: 1 })).deletedCount).to.equal(2)
      })

      it('returns the document before or after a findOneAndUpdate', async () => {
        const made = await collection(numbered([{ a: 2 }, { a: 1 }]))
        expect(
          await made.findOneAndUpdate({}, { $inc: { a: 5 } }, { sort: { a: 1 } }),
        ).to.deep.equal({ _id: 1, a: 1 })
        expect(
          await made.findOneAndUpdate(
            { _id: 1 },
            { $inc: { a: 1 } },
            { returnDocument: 'after', projection: { a: 1, _id: 0 } },
          ),
        ).to.deep.equal({ a: 7 })
        expect(await made.findOneAndDelete({ _id: 1 })).to.deep.equal({ _id: 1, a: 7 })
        expect(await made.findOneAndUpdate({ _id: 9 }, { $set: { a: 1 } })).to.equal(null)
        expect(
          await made.findOneAndUpdate(
            { _id: 9 },
            { $set: { a: 1 } },
            { upsert: true, returnDocument: 'after' },
          ),
        ).to.deep.equal({ _id: 9, a: 1 })
        expect(
          await made.findOneAndReplace({ _id: 9 }, { b: 1 }, { returnDocument: 'after' }),
        ).to.deep.equal({ _id: 9, b: 1 })
      })
    })

    describe('indexes', () => {
      it('lists the created indexes', async () => {
        const made = await collection([{ _id: 1 }])
        await made.createIndex({ a: 1, b: -1 }, { unique: true, name: 'ab' })
        await made.createIndex({ c: 1 }, { partialFilterExpression: { c: { $gt: '' } } })
        const indexes = await made.indexes()
        expect(indexes.map(({ name }) => name)).to.have.members(['_id_', 'ab', 'c_1'])
        const ab = indexes.find(({ name }) => name === 'ab')
        expect([ab?.['key'], ab?.['unique']]).to.deep.equal([{ a: 1, b: -1 }, true])
      })

      it('lists the filter of a partial index in its normal form', async function () {
        if (isDeparting) this.skip()
        const made = await collection([{ _id: 1 }])
        const listed = async (filter: Document): Promise<unknown> => {
          const name = await made.createIndex({ a: 1 }, { partialFilterExpression: filter })
          const index = (await made.indexes()).find((each) => each.name === name)
          await made.dropIndex(name)
          return index?.['partialFilterExpression']
        }
        expect(await listed({ a: 'x' })).to.deep.equal({ a: { $eq: 'x' } })
        expect(await listed({ a: { $gt: '' } })).to.deep.equal({ a: { $gt: '' } })
        expect(await listed({ status: 'published', slug: { $gt: '' } })).to.deep.equal({
          $and: [{ status: { $eq: 'published' } }, { slug: { $gt: '' } }],
        })
        expect(await listed({ $and: [{ a: { $gte: 1, $lt: 5 } }, { b: null }] })).to.deep.equal({
          $and: [{ b: { $eq: null } }, { a: { $lt: 5 } }, { a: { $gte: 1 } }],
        })
        expect(await listed({ a: { $type: 'string' }, b: { $exists: true } })).to.deep.equal({
          $and: [{ b: { $exists: true } }, { a: { $type: [2] } }],
        })
      })

      it('recognizes an index with an equivalent filter', async () => {
        const made = await collection([{ _id: 1 }])
        const create = (partialFilterExpression: Document): Promise<string> =>
          made.createIndex({ a: 1 }, { name: 'a', partialFilterExpression })
        await create({ s: 'x', a: { $gt: 1 } })
        await create({ s: 'x', a: { $gt: 1 } })
        if (!isDeparting)
          await create({ $and: [{ a: { $gt: new BSON.Double(1) } }, { s: { $eq: 'x' } }] })
        expect((await failure(create({ s: 'y', a: { $gt: 1 } }))).code).to.equal(86)
      })

      it('enforces unique keys and allows null once', async () => {
        const made = await collection([{ _id: 1 }])
        await made.createIndex({ a: 1 }, { unique: true })
        expect((await failure(made.insertOne({ _id: 2 }))).code).to.equal(11000)
        expect((await failure(made.insertOne({ _id: 3, a: null }))).code).to.equal(11000)
      })

      it('allows missing values in a sparse unique index', async () => {
        const made = await collection([{ _id: 1 }])
        await made.createIndex({ a: 1 }, { unique: true, sparse: true })
        await made.insertMany([{ _id: 2 }, { _id: 3, a: 1 }] as never)
        expect((await failure(made.insertOne({ _id: 4, a: 1 }))).code).to.equal(11000)
        expect(await made.find().sort({ a: 1 }).toArray()).to.have.length(3)
      })

      it('enforces a partial unique index only for matching documents', async () => {
        const made = await collection()
        await made.createIndex(
          { slug: 1, locale: 1 },
          { unique: true, partialFilterExpression: { status: 'published', slug: { $gt: '' } } },
        )
        const rows = [
          { slug: 'a', locale: 'en', status: 'published' },
          { slug: 'a', locale: 'en', status: 'draft' },
          { slug: 'a', locale: 'en', status: 'draft' },
          { slug: '', locale: 'en', status: 'published' },
          { slug: '', locale: 'en', status: 'published' },
          { slug: null, locale: 'en', status: 'published' },
          { slug: null, locale: 'en', status: 'published' },
        ]
        await made.insertMany(rows as never)
        expect(
          (await failure(made.insertOne({ slug: 'a', locale: 'en', status: 'published' } as never)))
            .code,
        ).to.equal(11000)
        expect(
          (
            await failure(
              made.updateOne({ slug: 'a', status: 'draft' }, { $set: { status: 'published' } }),
            )
          ).code,
        ).to.equal(11000)
        expect(await made.countDocuments({ slug: 'a' })).to.equal(3)
      })

      it('enforces unique keys over array elements', async () => {
        const made = await collection([{ _id: 1, a: [1, 2] }])
        await made.createIndex({ a: 1 }, { unique: true })
        expect((await failure(made.insertOne({ _id: 2, a: [2, 3] }))).code).to.equal(11000)
        await made.insertOne({ _id: 3, a: [3, 3] })
      })

      it('indexes missing fields in an array of documents as one null', async () => {
        const made = await collection([
          { _id: 1, a: [{}] },
          { _id: 2, a: [{ b: null }, { b: 1 }] },
        ])
        await made.createIndex({ 'a.b': 1 })
        const ids = async (filter: Document): Promise<number[]> =>
          (await made.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id)
        expect(await ids({ 'a.b': null })).to.deep.equal([1, 2])
        expect(await ids({ 'a.b': { $in: [null, 7] } })).to.deep.equal([1, 2])
        expect(await ids({ 'a.b': 1 })).to.deep.equal([2])
        const once = await collection([{ _id: 1, a: [{}] }])
        await once.createIndex({ 'a.b': 1 }, { unique: true })
        expect((await failure(once.insertOne({ _id: 2, a: [{ c: 1 }, {}] }))).code).to.equal(11000)
        expect((await failure(once.insertOne({ _id: 2, a: [{ b: null }] }))).code).to.equal(11000)
        expect((await failure(once.insertOne({ _id: 2 }))).code).to.equal(11000)
        expect((await failure(once.insertOne({ _id: 2, a: [] }))).code).to.equal(11000)
      })

      it('allows missing fields in arrays to repeat in a sparse unique index', async function () {
        if (isDeparting) this.skip()
        const made = await collection([{ _id: 1, a: [{}] }])
        await made.createIndex({ 'a.b': 1 }, { unique: true, sparse: true })
        await made.insertMany([{ _id: 2, a: [{}, { b: 1 }] }, { _id: 3 }] as never)
        expect((await failure(made.insertOne({ _id: 4, a: [{ b: 1 }] }))).code).to.equal(11000)
        await made.insertOne({ _id: 4, a: [{ b: null }] })
        expect((await failure(made.insertOne({ _id: 5, a: [{ b: null }] }))).code).to.equal(11000)
      })

      it('returns a document once if several indexes of an $or contain it', async () => {
        const made = await collection(
          numbered([{ a: 1, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 1 }, { a: [1, 2], b: 9 }, { a: 3 }]),
        )
        await made.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }])
        const ids = async (filter: Document): Promise<number[]> =>
          (await made.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id)
        expect(await ids({ $or: [{ a: 1 }, { b: 1 }] })).to.deep.equal([0, 1, 2, 3])
        expect(await ids({ $or: [{ a: 1, b: 2 }, { b: { $gt: 5 } }] })).to.deep.equal([1, 3])
        expect(await ids({ a: 1, $or: [{ b: 1 }, { $or: [{ b: 9 }, { a: 7 }] }] })).to.deep.equal([
          0, 3,
        ])
        const { queryPlanner } = await database.command({
          explain: { find: made.collectionName, filter: { $or: [{ a: 1 }, { b: 1 }] } },
        })
        if (isDeparting) return
        expect(JSON.stringify(queryPlanner.winningPlan))
          .to.include('"indexName":"a_1"')
          .and.to.include('"indexName":"b_1"')
          .and.not.to.include('COLLSCAN')
      })

      it('reads several values by the most selective index', async () => {
        const rows = Array.from({ length: 600 }, (_, id) => ({ id, status: 'published', locale: 'en', slug: `s${id}`, tag: `t${id % 300}` })) // prettier-ignore
        const made = await collection(numbered(rows))
        await made.createIndexes([
          { key: { status: 1, locale: 1, id: 1 }, name: 'list' },
          {
            key: { slug: 1, locale: 1 },
            unique: true,
            partialFilterExpression: { status: 'published', slug: { $gt: '' } },
          },
          { key: { tag: 1 } },
        ])
        const held = { status: 'published', locale: 'en' }
        const examined = async (find: Document): Promise<number> => {
          const explain = { find: made.collectionName, ...find }
          const { executionStats } = await database.command({ explain })
          return executionStats.totalDocsExamined
        }
        const bySlug = { ...held, slug: { $in: ['s7', 's5', 's9'] } }
        const byTag = { ...held, tag: { $in: ['t7', 't5'] } }
        const found = await made.find(bySlug).sort({ id: -1 }).toArray()
        expect(found.map(({ _id }) => _id)).to.deep.equal([9, 7, 5])
        const page = await made.find(byTag).sort({ id: 1 }).limit(3).toArray()
        expect(page.map(({ _id }) => _id)).to.deep.equal([5, 7, 305])
        if (isDeparting) return
        expect(await examined({ filter: bySlug })).to.equal(3)
        expect(await examined({ filter: bySlug, sort: { id: 1 }, limit: 10 })).to.equal(3)
        expect(await examined({ filter: byTag })).to.equal(4)
        expect(await examined({ filter: byTag, sort: { id: 1 }, limit: 10 })).to.equal(4)
        expect(await examined({ filter: byTag, sort: { id: 1 }, limit: 3 })).to.equal(4)
        expect(await examined({ filter: held, sort: { id: 1 }, limit: 10 })).to.equal(10)
      })

      it('refuses a unique index over duplicates', async () => {
        const made = await collection([
          { _id: 1, a: 1 },
          { _id: 2, a: 1 },
        ])
        expect((await failure(made.createIndex({ a: 1 }, { unique: true }))).code).to.equal(11000)
        expect(await made.indexes()).to.have.length(1)
      })

      it('reads by the index of a hint', async () => {
        const made = await collection(numbered([{ a: 2 }, { a: 1 }, { b: 1 }]))
        await made.createIndex({ a: -1 })
        await made.createIndex({ b: 1 }, { sparse: true, name: 'sparse' })
        const ids = async (filter: Document, hint: string | Document): Promise<number[]> =>
          (await made.find(filter).hint(hint).toArray()).map(({ _id }) => _id)
        expect(await ids({}, { a: -1 })).to.have.members([0, 1, 2])
        expect(await ids({ _id: 1 }, 'a_-1')).to.deep.equal([1])
        expect(await ids({ a: 2 }, { $natural: 1 })).to.deep.equal([0])
        if (isDeparting) return
        expect(await ids({}, { a: -1 })).to.deep.equal([0, 1, 2])
        expect(await ids({}, 'sparse')).to.deep.equal([2])
        const found = await made.aggregate([{ $match: {} }], { hint: 'a_-1' }).toArray()
        expect(found.map(({ _id }) => _id)).to.deep.equal([0, 1, 2])
        expect(
          (await made.updateOne({}, { $set: { c: 1 } }, { hint: 'sparse' })).modifiedCount,
        ).to.equal(1)
        expect(await made.findOne({ c: 1 })).to.deep.equal({ _id: 2, b: 1, c: 1 })
      })

      it('allows a unique key to move between documents in one batch', async () => {
        const made = await collection([{ _id: 1, a: 1 }])
        await made.createIndex({ a: 1 }, { unique: true })
        await made.bulkWrite([
          { updateOne: { filter: { _id: 1 }, update: { $set: { a: 2 } } } },
          { insertOne: { document: { _id: 2, a: 1 } } },
        ])
        expect(await made.countDocuments()).to.equal(2)
      })

      it('drops indexes', async () => {
        const made = await collection([{ _id: 1 }])
        await made.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }])
        await made.dropIndex('a_1')
        expect(await made.indexes()).to.have.length(2)
      })
    })

    describe('cursors and catalogue', () => {
      it('reads in batches', async () => {
        const made = await collection(numbered(Array.from({ length: 250 }, () => ({}))))
        expect((await made.find().batchSize(7).toArray()).map(({ _id }) => _id)).to.deep.equal(
          Array.from({ length: 250 }, (_, i) => i),
        )
        expect(
          await made.find().sort({ _id: -1 }).batchSize(20).limit(33).skip(5).toArray(),
        ).to.have.length(33)
      })

      it('counts', async () => {
        const made = await collection(numbered([{ a: 1 }, { a: 2 }, { a: 2 }]))
        expect(await made.countDocuments({ a: 2 })).to.equal(2)
        expect(await made.estimatedDocumentCount()).to.equal(3)
        expect(
          await database.command({ count: made.collectionName, query: { a: 2 }, limit: 1 }),
        ).to.include({ n: 1 })
      })

      it('counts by the keys of indexes', async () => {
        const made = await collection(
          numbered([
            { s: 'p', n: 1, t: ['x', 'y'] },
            { s: 'p', n: 2, t: ['y', 'z'] },
            { s: 'p', n: null, t: [] },
            { s: 'p', t: ['y', 'y'] },
            { s: 'd', n: 2, t: 'y' },
            { s: 'd', n: NaN },
          ]),
        )
        const filters: readonly (readonly [Document, number])[] = [
          [{}, 6],
          [{ s: 'p' }, 4],
          [{ s: { $in: ['p', 'd'] } }, 6],
          [{ s: 'p', n: null }, 2],
          [{ s: 'p', n: { $ne: 2 } }, 3],
          [{ s: 'd', n: { $lt: 9 } }, 1],
          [{ n: { $gt: 1, $lte: 2 } }, 2],
          [{ s: { $regex: '^p' }, n: { $gte: 1 } }, 2],
          [{ $or: [{ s: 'd' }, { n: 1 }] }, 3],
          [{ t: 'y' }, 4],
          [{ t: { $in: ['x', 'z'] } }, 2],
          [{ t: { $gte: 'x' } }, 4],
          [{ t: { $ne: 'y' } }, 2],
          [{ t: { $gt: 'x', $lt: 'y' } }, 1],
          [{ t: null }, 1],
          [{ t: [] }, 1],
        ]
        for (const indexes of [[], [{ s: 1, n: -1 }, { n: 1, s: 1 }, { t: 1 }]] as const) {
          for (const key of indexes) await made.createIndex(key)
          for (const [filter, count] of filters) {
            const told = JSON.stringify(filter)
            expect(await made.countDocuments(filter), told).to.equal(count)
            const [all] = await made.aggregate([{ $match: filter }, { $count: 'n' }]).toArray()
            expect(all, told).to.deep.equal({ n: count })
            const page = await made.countDocuments(filter, { skip: 1, limit: 2 })
            expect(page, told).to.equal(Math.min(count - 1, 2))
          }
        }
      })

      it('returns distinct values', async () => {
        const made = await collection(numbered([{ a: 1 }, { a: [2, 3] }, { a: 2 }, {}]))
        expect(await made.distinct('a')).to.have.members([1, 2, 3])
      })

      it('lists collections and databases', async () => {
        const made = await collection([{ _id: 1 }])
        const names = (await database.listCollections({ name: made.collectionName }).toArray()).map(
          ({ name }) => name,
        )
        expect(names).to.deep.equal([made.collectionName])
        expect(
          (await client.db().admin().listDatabases({ nameOnly: true })).databases.map(
            ({ name }) => name,
          ),
        ).to.include(database.databaseName)
        await made.drop()
        expect(
          await database.listCollections({ name: made.collectionName }).toArray(),
        ).to.deep.equal([])
      })

      it('finds no documents in a missing collection', async () => {
        expect(await database.collection('absent').find().toArray()).to.deep.equal([])
        expect(await database.collection('absent').countDocuments()).to.equal(0)
      })

      it('round-trips every type', async () => {
        const value = {
          int: 1,
          double: new BSON.Double(1),
          long: Long.fromString('9007199254740993'),
          decimal: BSON.Decimal128.fromString('1.10'),
          text: 'ä\0ö',
          no: null,
          yes: true,
          when: new Date(-1),
          id: new ObjectId(),
          bytes: new BSON.Binary(new Uint8Array([1, 2]), 4),
          regex: new BSON.BSONRegExp('a', 'i'),
          list: [1, [2, { a: [] }]],
          nested: { 'a b': {} },
          low: new BSON.MinKey(),
          high: new BSON.MaxKey(),
          stamp: new BSON.Timestamp({ t: 1, i: 2 }),
        }
        const made = await collection([{ _id: 1, ...value }])
        expect(exactly(await made.findOne({}, EXACT))).to.equal(exactly({ _id: 1, ...value }))
      })
    })
  })
}
