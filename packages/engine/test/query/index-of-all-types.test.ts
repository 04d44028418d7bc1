import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb'
import type { Collection, Document, MongoClient } from 'mongodb'
import type { Departs } from '../contract/contract-cases.ts'
import { databaseName, isDocumentDb, TARGETS } from '../contract/targets.ts'
import type { Target } from '../contract/targets.ts'

const EMOJI = '\u{1F600}'
/** Longer than an index key, so the rest is only compared in the document. */
const LONG = 'x'.repeat(1885)

const scalars = fc.constantFrom<unknown>(
  null, true, 0, 1, 2, -1, new Double(1.5), new Double(NaN), new Double(-0), new Double(-Infinity), Long.ONE, Long.MAX_VALUE,
  Decimal128.fromString('1.0'), Decimal128.fromString('NaN'), Decimal128.fromString('1E+400'), '', 'a', 'ab', 'a\0b', 'é', EMOJI, `${EMOJI}a`,
  `${LONG}a`, `${LONG}b`, new Date(0), new Date(-1), new ObjectId('5f0000000000000000000002'), new Binary(new Uint8Array([1, 2]), 5),
  new BSONRegExp('^a'), new Timestamp({ t: 1, i: 1 }), new MinKey(), new MaxKey(),
) // prettier-ignore

const names = fc.constantFrom('a', 'b')
const { value } = fc.letrec<{ value: unknown; list: unknown[]; document: Document }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalars, tie('list'), tie('document')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  document: fc.dictionary(names, tie('value'), { maxKeys: 2, noNullPrototype: true }),
}))
const rows = fc.array(fc.dictionary(names, value, { maxKeys: 2, noNullPrototype: true }), {
  maxLength: 10,
})

const paths = fc.constantFrom('a', 'b', 'a.a', 'a.b', 'a.0', 'a.0.b')
const operands = scalars.filter((operand) => !(operand instanceof BSONRegExp))
const types = fc.constantFrom('null', 'number', 'string', 'object', 'array', 'minKey', 'regex')
const comparisons = fc.constantFrom('$eq', '$gt', '$gte', '$lt', '$lte')
const conditions: fc.Arbitrary<Document> = fc.oneof(
  fc.tuple(comparisons, operands).map(([name, operand]) => ({ [name]: operand })),
  fc.array(scalars, { maxLength: 3 }).map(($in) => ({ $in })),
  fc.array(scalars, { minLength: 9, maxLength: 12 }).map(($nin) => ({ $nin })),
  fc.boolean().map(($exists) => ({ $exists })),
  types.map(($type) => ({ $type })),
  fc.constantFrom('^a', '^a?', `^${EMOJI}?`, `^${EMOJI}*a`, '^ab*').map(($regex) => ({ $regex })),
)
const leaves = fc.tuple(paths, fc.oneof(conditions, scalars)).map(([path, is]) => ({ [path]: is }))
const filters: fc.Arbitrary<Document> = fc.oneof(
  leaves,
  fc.tuple(leaves, leaves).map(([one, other]) => ({ $and: [one, other] })),
  fc.tuple(leaves, leaves).map(([one, other]) => ({ $or: [one, other] })),
)

const partials: fc.Arbitrary<Document> = fc.oneof(
  fc.constant({ $exists: true }),
  types.map(($type) => ({ $type })),
  fc.tuple(comparisons, operands).map(([name, operand]) => ({ [name]: operand })),
)
const indexes = fc
  .uniqueArray(fc.tuple(paths, fc.constantFrom<1 | -1>(1, -1)), {
    minLength: 1,
    maxLength: 2,
    selector: ([path]) => path,
  })
  .chain((fields) =>
    fc.record({
      key: fc.constant(Object.fromEntries(fields)),
      options: fc.oneof(
        fc.constantFrom<Document>({}, { sparse: true }),
        partials.map((partial) => ({
          partialFilterExpression: { [fields[0]?.[0] ?? 'a']: partial },
        })),
      ),
    }),
  )

describe('an index over values of all types', function () {
  this.timeout(120_000)
  this.slow(10_000)
  let client: MongoClient
  let close: () => Promise<void>
  let made = 0

  before(async () => {
    ;({ client, close } = await (TARGETS[0] as Target).open())
  })
  after(() => close())

  const idsOf = async (collection: Collection, filter: Document, hint?: Document) =>
    (await collection.find(filter, { projection: { _id: 1 }, ...(hint && { hint }) }).toArray())
      .map(({ _id }) => Number(_id))
      .sort((a, b) => a - b)

  it('finds and counts the same documents as a full scan', async () => {
    const property = fc.asyncProperty(
      rows,
      fc.uniqueArray(indexes, {
        minLength: 1,
        maxLength: 3,
        selector: ({ key }) => JSON.stringify(key),
      }),
      fc.array(filters, { minLength: 6, maxLength: 10 }),
      async (documents, specs, asked) => {
        const collection = client.db(databaseName()).collection(`c${made++}`)
        for (const [i, { key, options }] of specs.entries())
          await collection.createIndex(key, { name: `i${i}`, ...options })
        for (const [_id, document] of documents.entries())
          // Parallel arrays, and numbers that are both names and indexes, are refused.
          await collection.insertOne({ _id: _id as never, ...document }).catch(() => null)
        for (const filter of asked) {
          const wanted = await idsOf(collection, filter, { $natural: 1 })
          expect(await idsOf(collection, filter)).to.deep.equal(wanted)
          expect(await collection.countDocuments(filter)).to.equal(wanted.length)
        }
        await collection.drop()
      },
    )
    await fc.assert(property, { numRuns: 150 })
  })
})

interface Found {
  readonly key?: Record<string, 1>
  readonly partial?: Document
  readonly documents: readonly Document[]
  readonly filter: Document
  readonly ids: readonly number[]
  readonly departs?: Departs
}

const FOUND: Readonly<Record<string, Found>> = {
  'missing sorts above MinKey': {
    partial: { $exists: true },
    documents: [{}, { a: 1 }],
    filter: { a: { $gt: new MinKey() } },
    ids: [0, 1],
    departs: { documentdb: 'leaves out missing values' },
  },
  'missing sorts below MaxKey': {
    partial: { $exists: true },
    documents: [{}, { a: 1 }],
    filter: { a: { $lte: new MaxKey() } },
    ids: [0, 1],
    departs: { documentdb: 'leaves out missing values' },
  },
  'missing equals null and has no type': {
    partial: { $type: 'null' },
    documents: [{}, { a: null }],
    filter: { a: null },
    ids: [0, 1],
  },
  'a regex in a list finds texts': {
    partial: { $type: 'regex' },
    documents: [{ a: 'x' }, { a: new BSONRegExp('x') }],
    filter: { a: { $in: [new BSONRegExp('x')] } },
    ids: [0, 1],
  },
  'a regex that is stored equals itself': {
    documents: [{ a: 'ab' }, { a: new BSONRegExp('^a') }, { a: [new BSONRegExp('^a')] }],
    filter: { a: new BSONRegExp('^a') },
    ids: [0, 1, 2],
  },
  'missing fields in elements around an indexed position': {
    key: { 'a.0.b': 1, 'a.0': 1 },
    documents: [{ a: [{ b: '' }] }, { a: [{ b: 1 }, { b: 2 }] }, { a: { 0: { b: 1 } } }],
    filter: { 'a.0.b': null },
    ids: [0, 1],
    departs: { documentdb: 'finds them without an index alone' },
  },
  'a character of two units may be left out': {
    documents: [{ a: 'ab' }, { a: `${EMOJI}a` }],
    filter: { a: { $regex: `^${EMOJI}?a` } },
    ids: [0, 1],
    departs: { documentdb: 'leaves out the first' },
  },
  'long texts that begin alike': {
    documents: [{ a: `${LONG}a` }, { a: `${LONG}b` }],
    filter: { a: `${LONG}a` },
    ids: [0],
  },
  'a range of long texts': {
    documents: [{ a: `${LONG}a` }, { a: `${LONG}b` }],
    filter: { a: { $gt: `${LONG}a` } },
    ids: [1],
  },
}

for (const target of TARGETS) {
  describe(`contract of indexes: ${target.name}`, () => {
    let client: MongoClient
    let close: () => Promise<void>
    let isDeparting = false
    const name = databaseName()

    before(async () => {
      ;({ client, close } = await target.open())
      isDeparting = await isDocumentDb(client)
    })
    after(async () => {
      await client.db(name).dropDatabase()
      await close()
    })

    for (const [
      label,
      { key = { a: 1 }, partial, documents, filter, ids, departs },
    ] of Object.entries(FOUND)) {
      it(`finds every match: ${label}`, async function () {
        if (departs && isDeparting) this.skip()
        const collection = client.db(name).collection(label.replaceAll(' ', '_'))
        const options = partial ? { partialFilterExpression: { a: partial } } : {}
        await collection.createIndex(key, options)
        await collection.insertMany(
          documents.map((document, _id) => ({ _id: _id as never, ...document })),
        )
        const found = await collection.find(filter).sort({ _id: 1 }).toArray()
        expect(found.map(({ _id }) => Number(_id))).to.deep.equal(ids)
        expect(await collection.countDocuments(filter)).to.equal(ids.length)
      })
    }
  })
}
