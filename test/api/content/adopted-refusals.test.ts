import { expect } from 'chai'
import { BSON, type Document, MongoServerError, ObjectId } from 'mongodb'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const [FIRST, SECOND] = ['65b000000000000000000001', '65b000000000000000000002']
const MAX_BYTES = 16 * 1024 * 1024
const SECRET = 'value of a foreign member'

const GIVEN: readonly Document[] = [
  {
    _id: new ObjectId(FIRST),
    number: 'A-1',
    place: { code: 'k-1' },
    part: { sku: 's-1' },
    secret: 1,
  },
  {
    _id: new ObjectId(SECOND),
    number: 'A-2',
    place: { code: 'k-2' },
    part: { sku: 's-2' },
    secret: 2,
  },
]

const CONTENT_TYPES = {
  order: {
    info: { singularName: 'order' },
    adopt: {
      collection: 'orders',
      write: true,
      paths: { code: 'place.code', updatedAt: 'changed' },
    },
    attributes: {
      number: { type: 'string' },
      code: { type: 'string' },
      group: { type: 'text' },
      part: { type: 'component', component: 'shop.part' },
    },
  },
  'components/shop/part': { attributes: { sku: { type: 'string' } } },
}

describe('refusals of the collection of another service', () => {
  let foreign: ForeignDatabase
  let server: TestServer | null = null

  before(async function () {
    foreign = await openForeignDatabase('adoptrefuse', { orders: GIVEN })
    if (!(await hasStreams(foreign))) return this.skip()
    const orders = foreign.db.collection('orders')
    for (const key of ['number', 'place.code', 'part.sku'] as const) {
      await orders.createIndex({ [key]: 1 }, { unique: true, sparse: true, name: `one ${key}` })
    }
    await orders.createIndex({ secret: 1, group: 1 }, { unique: true })
    await orders.createIndex({ changed: 1 }, { unique: true, sparse: true })
    server = await serve('adoptrefuse', {
      contentTypes: CONTENT_TYPES,
      environment: { MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off' },
    })
  })

  beforeEach(async () => {
    await foreign.db.collection('orders').deleteMany({})
    await foreign.db.collection('orders').insertMany([...GIVEN])
  })

  after(async () => {
    await server?.close()
    await foreign.drop()
  })

  async function send(method: string, path: string, data: object): Promise<Json> {
    if (server === null) throw new Error('the suite is skipped')
    return server.send(method, path, { body: { data } })
  }
  const put = (data: object): Promise<Json> => send('PUT', `/api/orders/${FIRST}`, data)

  it('names the attribute of a value that another document has', async () => {
    const taken = [
      [{ number: 'A-2' }, ['number'], 'A-2'],
      [{ code: 'k-2', group: 'x' }, ['code'], 'k-2'],
      [{ part: { sku: 's-2' } }, ['part'], undefined],
    ] as const
    const before = await foreign.contents(['orders'])
    for (const [data, path, value] of taken) {
      for (const answer of [await put(data), await send('POST', '/api/orders', data)]) {
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.headers['error-code']).to.equal('value_not_unique')
        const [fault, ...others] = answer.body.error.details.errors
        expect(others).to.deep.equal([])
        expect(fault).to.deep.include({ path, message: 'This attribute must be unique' })
        expect(fault.value).to.equal(value)
      }
    }
    expect(await foreign.contents(['orders'])).to.deep.equal(before)
  })

  it('names the line of a batch', async () => {
    if (server === null) throw new Error('the suite is skipped')
    const lines = [
      { op: 'upsert', type: 'order', documentId: FIRST, data: { number: 'A-2' } },
      { op: 'upsert', type: 'order', documentId: SECOND, data: { group: 'new' } },
    ]
    const { text } = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    const answers = text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    expect(
      answers.map(({ result, code }) => result ?? code),
      text,
    ).to.include.members(['value_not_unique', 'updated'])
  })

  it('says nothing of members that it does not show', async () => {
    const orders = foreign.db.collection('orders')
    await orders.updateOne({ _id: new ObjectId(FIRST) }, { $set: { secret: SECRET, group: 'a' } })
    await orders.updateOne({ _id: new ObjectId(SECOND) }, { $set: { secret: SECRET, group: 'b' } })
    const half = await put({ group: 'b' })
    expect(half.status, half.text).to.equal(400)
    expect(half.body.error.details.errors).to.have.length(1)
    expect(half.text).not.to.include(SECRET)
  })

  it('answers 400 to a document above 16 MB', async () => {
    const room = 200
    const used = BSON.calculateObjectSize({ ...GIVEN[0], padding: '' })
    const padding = 'x'.repeat(MAX_BYTES - used - room)
    await foreign.db
      .collection('orders')
      .updateOne({ _id: new ObjectId(FIRST) }, { $set: { padding } })
    const { status, headers, text } = await put({ group: 'y'.repeat(2 * room) })
    expect(status, text).to.equal(400)
    expect(headers['error-code']).to.equal('conflicting_state')
    expect(text).to.include('16 MB')
  })

  it('answers 400 to a refusal of a validator', async () => {
    const stop = await refuseWrites(foreign)
    try {
      const answer = await put({ group: 'z' })
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.headers['error-code']).to.equal('conflicting_state')
      expect(answer.body.error.message).to.include('validator of the other service')
      expect(answer.text).not.to.include('group')
    } finally {
      await stop()
    }
    expect((await put({ group: 'z' })).status).to.equal(200)
  })
})

/** The embedded engine has no validators, so its next update fails as theirs would. */
async function refuseWrites({ db, name }: ForeignDatabase): Promise<() => Promise<unknown>> {
  const validator = { $jsonSchema: { properties: { group: { enum: ['a'] } } } }
  try {
    await db.command({ collMod: 'orders', validator })
    return () => db.command({ collMod: 'orders', validator: {} })
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error
  }
  const point = (mode: unknown, data: Document = {}): Promise<Document> =>
    db.admin().command({ configureFailPoint: 'failCommand', mode, data })
  const fails = { failCommands: ['update'], namespace: `${name}.orders`, errorCode: 121 }
  await point({ times: 1 }, fails)
  return () => point('off')
}
