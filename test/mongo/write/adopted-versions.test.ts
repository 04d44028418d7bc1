import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  Binary,
  BSON,
  BSONRegExp,
  Code,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  MongoClient,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import { type AdoptedType, isAdopted } from '../../../src/mongo/versions/adopted-expression.ts'
import type { StoredVersion } from '../../../src/mongo/versions/stored-version.ts'
import { getAdopted, patchAdopted } from '../../../src/mongo/write/adopted-versions.ts'
import { checkDefinitions } from '../../../src/schema/check/check.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { Decimal, significantDigits } from '../../../src/schema/values/decimal.ts'
import { asFollowed, componentFile, typeFile } from '../../schema/define.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const PATHS = { price: 'a.price', cost: 'a.b.cost' }
const PART = { x: { type: 'string' }, n: { type: 'integer' } }
const ATTRIBUTES = {
  text: { type: 'string' },
  count: { type: 'integer' },
  big: { type: 'biginteger' },
  price: { type: 'float' },
  cost: { type: 'decimal' },
  at: { type: 'datetime' },
  data: { type: 'json' },
  part: { type: 'component', component: 'shop.part' },
  parts: { type: 'component', component: 'shop.part', repeatable: true },
}

function compileType(): AdoptedType {
  const adopt = { collection: 'things', write: true, paths: PATHS }
  const file = typeFile('thing', ATTRIBUTES, { adopt })
  const definitions = checkDefinitions([file, componentFile('shop.part', PART)])
  const plan = compileSchema(asFollowed(definitions)).contentTypes.get('api::thing.thing')
  if (plan === undefined || !isAdopted(plan)) throw new Error('not adopted')
  return plan
}

const leaf = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((value) => new Int32(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.constantFrom(0, -0, 1.5, Number.NaN, Infinity).map((value) => new Double(value)),
  fc.constantFrom('1.50', '-0', 'NaN', '9E+40').map((text) => Decimal128.fromString(text)),
  fc.string({ maxLength: 3 }),
  fc.boolean(),
  fc.constantFrom<unknown>(
    null,
    new Date(0),
    new ObjectId('65b000000000000000000001'),
    new UUID('0b6ad6b4-2b57-4f0b-9a57-0123456789ab'),
    new Binary(Buffer.from([1, 2]), 5),
    new BSONRegExp('a', 'i'),
    new Timestamp(7n),
    new MinKey(),
    new MaxKey(),
    new Code('f()'),
  ),
)

const foreign = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('p', 'q'), tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined })

const part = fc.record(
  { x: fc.oneof(fc.constantFrom('x', 'y'), foreign), n: foreign, kept: foreign },
  { requiredKeys: [], noNullPrototype: true },
)

const things = fc
  .record({
    before: foreign,
    text: maybe(fc.oneof(fc.constantFrom('x', 'y'), leaf)),
    count: maybe(leaf),
    big: maybe(leaf),
    a: maybe(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ kept: foreign, price: leaf, b: maybe(leaf) }) },
        { weight: 4, arbitrary: fc.record({ b: fc.record({ cost: leaf, kept: foreign }) }) },
        { weight: 2, arbitrary: fc.constantFrom<unknown>('x', new Int32(1), [], null) },
      ),
    ),
    at: maybe(leaf),
    data: maybe(foreign),
    part: maybe(fc.oneof(part, leaf)),
    parts: maybe(
      fc.array(fc.oneof({ weight: 4, arbitrary: part }, { weight: 1, arbitrary: leaf }), {
        maxLength: 3,
      }),
    ),
    after: foreign,
  })
  .map(withoutUndefined)

function withoutUndefined(value: unknown): Document {
  return BSON.deserialize(BSON.serialize(value as Document, { ignoreUndefined: true }), LOSSLESS)
}

const LOSSLESS = { promoteValues: false, promoteBuffers: false, bsonRegExp: true } as const

const sentPart = fc.record({
  id: fc.constantFrom(0, 1, 2, 3),
  x: fc.constantFrom(null, 'x', 'y', 'z'),
  n: fc.constantFrom(null, 1, 2),
})

const updates = fc.record(
  {
    text: fc.constantFrom(null, 'x', 'y', '65a000000000000000000001'),
    count: fc.constantFrom(null, 0, 1, 2 ** 31, -(2 ** 53) + 1),
    big: fc.constantFrom(null, 1n, 2n ** 62n),
    price: fc.constantFrom(null, 1, 0.1, 1e300),
    cost: fc
      .constantFrom('1.5', '0.10', '12345678901234567890.5')
      .map((text) => Decimal.parse(text)),
    at: fc.constantFrom(null, new Date(0), new Date(1)),
    data: fc.constantFrom<unknown>(null, 'x', 1, { p: 1, q: ['x'] }, [1, { p: null }]),
    part: fc.option(sentPart),
    parts: fc.uniqueArray(sentPart, { maxLength: 3, selector: ({ id, x }) => (id === 0 ? x : id) }),
  },
  { requiredKeys: [], noNullPrototype: true },
)

/** The leaves of a document with their bytes, without those of declared attributes. */
function undeclared(bytes: Uint8Array): readonly string[] {
  return leavesOf(bytes, '').filter((one) => !DECLARED.test(one.slice(0, one.indexOf(' '))))
}

const DECLARED =
  /^(?:text|count|big|at|data(?:\..*)?|part|part\.(?:x|n)(?:\..*)?|parts(?:\..*)?|a|a\.price(?:\..*)?|a\.b|a\.b\.cost(?:\..*)?)$/

function leavesOf(bytes: Uint8Array, path: string): readonly string[] {
  const elements = [...BSON.onDemand.parseToElements(bytes)]
  return elements.flatMap(([type, nameAt, nameLength, at, length]) => {
    const name = Buffer.from(bytes.subarray(nameAt, nameAt + nameLength)).toString()
    const value = bytes.subarray(at, at + length)
    const own = path === '' ? name : `${path}.${name}`
    const isHolder = type === 3 || type === 4
    const text = `${own} ${type} ${isHolder ? '' : Buffer.from(value).toString('hex')}`
    return isHolder ? [text, ...leavesOf(value, own)] : [text]
  })
}

describe('writes of adopted documents', () => {
  const plan = compileType()
  let test: TestDatabase
  let client: MongoClient

  before(async () => {
    test = await openTestDatabase('adopted_versions')
    client = await MongoClient.connect(test.uri)
  })
  after(async () => {
    await client.close()
    await test.drop()
  })

  const collection = () => client.db(test.name).collection('things')

  async function bytesOf(_id: ObjectId): Promise<Uint8Array> {
    const [found] = await collection().find({ _id }, { raw: true }).toArray()
    return found as unknown as Uint8Array
  }

  function patch(_id: ObjectId, values: Data): Promise<StoredVersion | null> {
    const target = { documentId: _id.toHexString(), expected: null }
    return test.database.transact((session) =>
      patchAdopted(test.database, plan, target, values, session),
    )
  }

  const read = (_id: ObjectId): Promise<StoredVersion | null> =>
    test.database.transact((session) => getAdopted(test.database, plan, _id.toHexString(), session))

  it('keep all bytes that are not declared, and show the values that were sent', async function () {
    this.timeout(300_000)
    const counts = { written: 0, refused: 0, lists: 0 }
    await fc.assert(
      fc.asyncProperty(things, updates, async (thing, values) => {
        const _id = new ObjectId()
        await collection().insertOne({ _id, ...thing })
        const before = await bytesOf(_id)
        const shown = await read(_id)
        const sent = fit(values, shown)
        const written = await patch(_id, sent).catch((error: unknown) => error)
        const after = await bytesOf(_id)
        // An embedded document that the client removes is removed with all its members.
        const isRemoved = 'part' in sent && sent['part'] === null
        const remaining = (bytes: Uint8Array): readonly string[] =>
          undeclared(bytes).filter((one) => !isRemoved || !one.startsWith('part.'))
        expect(remaining(after)).to.deep.equal(remaining(before))
        if (written instanceof Error) {
          expect(written).to.have.property('errorCode', 'conflicting_state')
          expect(after).to.deep.equal(before)
          counts.refused += 1
          return
        }
        for (const [name, value] of Object.entries(sent)) {
          expectShown((written as StoredVersion)[name], value)
        }
        keptParts(thing, sent, after)
        if (Buffer.compare(before, after) !== 0) counts.written += 1
        if (Array.isArray(sent['parts']) && sent['parts'].length > 0) counts.lists += 1
        const items = await test.database
          .table<{ readonly _id: string }>(COMMITS)
          .countDocuments({ 'items.documentId': _id.toHexString() })
        expect(items).to.equal(Buffer.compare(before, after) === 0 ? 0 : 1)
        await patch(_id, withoutIds(sent))
        expect(await bytesOf(_id), 'a second time').to.deep.equal(after)
      }),
      { numRuns: 150 },
    )
    expect(counts.written).to.be.greaterThan(50)
    expect(counts.refused).to.be.greaterThan(3)
    expect(counts.lists).to.be.greaterThan(10)
  })

  it('lose no change of another service between the read and the write', async () => {
    const _id = new ObjectId()
    await collection().insertOne({ _id, text: 'x', other: 1 })
    let attempts = 0
    const target = { documentId: _id.toHexString(), expected: null }
    await test.database.transact(async (session) => {
      attempts += 1
      await getAdopted(test.database, plan, target.documentId, session)
      if (attempts === 1) await collection().updateOne({ _id }, { $set: { other: 2, text: 'z' } })
      await patchAdopted(test.database, plan, target, { text: 'y' }, session)
    })
    expect(attempts).to.equal(2)
    expect(await collection().findOne({ _id })).to.deep.equal({ _id, text: 'y', other: 2 })
  })

  it('returns null for another revision', async () => {
    const _id = new ObjectId()
    await collection().insertOne({ _id, text: 'x', other: 1 })
    const documentId = _id.toHexString()
    const expected = await read(_id)
    await collection().updateOne({ _id }, { $set: { other: 2 } })
    const attempt = (text: string) =>
      test.database.transact((session) =>
        patchAdopted(test.database, plan, { documentId, expected }, { text }, session),
      )
    expect(await attempt('y')).to.include({ text: 'y' })
    expect(await attempt('z')).to.equal(null)
  })
})

/** Ids of elements that the document does not have are refused before. */
function fit(values: Data, shown: StoredVersion | null): Data {
  const most = (shown?.['parts'] as readonly unknown[] | undefined)?.length ?? 0
  const fitted: Data = { ...values }
  if (Array.isArray(values['parts'])) {
    fitted['parts'] = (values['parts'] as readonly Data[]).filter(({ id }) => Number(id) <= most)
  }
  if (values['part']) fitted['part'] = { ...(values['part'] as Data), id: 1 }
  return fitted
}

/** The ids of elements are their places, which the first write may have changed. */
function withoutIds(values: Data): Data {
  const parts = values['parts'] as readonly Data[] | undefined
  return parts === undefined
    ? values
    : { ...values, parts: parts.map((one) => ({ ...one, id: 0 })) }
}

function expectShown(shown: unknown, sent: unknown): void {
  if (sent instanceof Decimal) {
    expect(significantDigits(String(shown))).to.equal(significantDigits(sent.text))
  } else if (Array.isArray(sent) && sent.every(isPart)) {
    const strip = (one: unknown): unknown => ({ ...(one as Data), id: 0 })
    expect((shown as readonly unknown[]).map(strip)).to.deep.equal(sent.map(strip))
  } else if (isPart(sent)) {
    expect({ ...(shown as Data), id: 0 }).to.deep.equal({ ...sent, id: 0 })
  } else expect(shown).to.deep.equal(sent)
}

function isPart(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && 'id' in value
}

/** Elements that are named by their ids keep their members that are not declared, and elements of other types stay. */
function keptParts(thing: Document, { parts: sent }: Data, after: Uint8Array): void {
  if (!Array.isArray(sent) || !Array.isArray(thing['parts'])) return
  const isDocument = (one: unknown): one is Document =>
    Object.getPrototypeOf(one ?? 0) === Object.prototype
  const elements: readonly unknown[] = thing['parts']
  const list = BSON.deserialize(after, LOSSLESS)['parts'] as readonly unknown[]
  const text = (value: unknown): string => BSON.EJSON.stringify({ value }, { relaxed: false })
  const others = (all: readonly unknown[]) => all.filter((one) => !isDocument(one)).map(text)
  expect(others(list)).to.deep.equal(others(elements))
  const documents = elements.filter(isDocument)
  for (const [index, { id }] of (sent as readonly Data[]).entries()) {
    if (id === 0) continue
    const written = list.filter(isDocument)[index]
    expect(text(written?.['kept'])).to.equal(text(documents[Number(id) - 1]?.['kept']))
  }
}
