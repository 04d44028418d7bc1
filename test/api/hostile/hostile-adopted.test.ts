import { expect } from 'chai'
import { type Document, ObjectId } from 'mongodb'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { type Answer, serve, type TestServer } from '../../support/server.ts'

const OPEN = '65b000000000000000000001'
const PAID = '65b000000000000000000002'
const CANARY = 'canary-of-the-other-service'
const TYPE = 'api::order.order'
const COLLECTIONS = ['orders', 'numbers', 'texts']

const ORDERS: readonly Document[] = [
  {
    _id: new ObjectId(OPEN),
    number: 'A-1',
    state: 'open',
    amounts: { total: 1, cost: CANARY },
    labels: { kept: 1 },
    canary: CANARY,
  },
  { _id: new ObjectId(PAID), number: 'A-2', state: 'paid', amounts: { total: 2 }, canary: CANARY },
]

const name = { name: { type: 'string' } }

const CONTENT_TYPES = {
  order: {
    info: { singularName: 'order' },
    adopt: {
      collection: 'orders',
      write: true,
      paths: { total: 'amounts.total', orderState: 'state' },
    },
    attributes: {
      number: { type: 'string' },
      orderState: { type: 'enumeration', enum: ['open', 'paid'] },
      total: { type: 'float' },
      labels: { type: 'json' },
      owner: { type: 'relation', relation: 'manyToOne', target: 'api::number.number' },
      part: { type: 'component', component: 'shop.part' },
    },
  },
  number: {
    info: { singularName: 'number' },
    adopt: { collection: 'numbers', write: true },
    attributes: name,
  },
  text: {
    info: { singularName: 'text' },
    adopt: { collection: 'texts', write: true },
    attributes: name,
  },
  'components/shop/part': { attributes: { sku: { type: 'string' } } },
}

describe('hostile writes of adopted collections', () => {
  let foreign: ForeignDatabase
  let server: TestServer
  let isServed = false

  before(async function () {
    foreign = await openForeignDatabase('adopthostile', {
      orders: ORDERS,
      numbers: [{ _id: 7 as never, name: 'seven' }],
      texts: [{ _id: 'a.b' as never, name: 'dotted' }],
    })
    if (!(await hasStreams(foreign))) return this.skip()
    server = await serve('adopthostile', {
      contentTypes: CONTENT_TYPES,
      environment: { MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
    })
    isServed = true
  })

  beforeEach(async () => {
    await foreign.db.collection('orders').deleteMany({})
    await foreign.db.collection('orders').insertMany([...ORDERS])
  })

  after(async () => {
    if (isServed) await server.close()
    await foreign.drop()
  })

  async function permit(permissions: readonly string[], rules: readonly object[] = []) {
    const body = { permissions, rules }
    const { status, text } = await server.send('PUT', '/admin/roles/public', { body })
    expect(status, text).to.equal(200)
  }

  const entry = (documentId: string, type = 'orders'): string =>
    `/api/${type}/${encodeURIComponent(documentId)}`

  function attempt(verb: string, documentId = OPEN, data: object = { number: 'x' }) {
    const method = { create: 'POST', update: 'PUT', delete: 'DELETE' }[verb] ?? 'GET'
    const path = verb === 'create' ? '/api/orders' : entry(documentId)
    const body = verb === 'delete' ? {} : { body: { data } }
    return server.send(method, path, { ...body, token: null })
  }

  function bulk(lines: readonly object[], token: string | null = null): Promise<Answer> {
    return server.send('POST', '/api/_bulk', {
      token,
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
  }

  /** Runs `work`, and checks that no foreign byte changes and no answer has a foreign member. */
  async function unchanged(work: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
    const before = await foreign.contents(COLLECTIONS)
    const answers = await work()
    for (const { status, text } of answers) {
      expect(status, text).to.be.within(200, 499)
      expect(text).not.to.include(CANARY)
    }
    expect(await foreign.contents(COLLECTIONS)).to.deep.equal(before)
    return answers
  }

  const VERBS = ['create', 'update', 'delete'] as const

  it('permits exactly the verbs that are granted', async () => {
    for (const granted of [[], ...VERBS.map((verb) => [verb]), [...VERBS]]) {
      await permit(granted.map((verb) => `${TYPE}.${verb}`))
      for (const verb of VERBS) {
        if (granted.includes(verb)) continue
        const [answer] = await unchanged(async () => [await attempt(verb)])
        expect(answer?.status, `${verb} with ${granted.join()}`).to.equal(403)
      }
      for (const verb of granted) {
        const { status, text } = await attempt(verb)
        expect(status, text).to.be.oneOf([200, 201, 204])
        expect(text).not.to.include(CANARY)
      }
      await foreign.db.collection('orders').deleteMany({})
      await foreign.db.collection('orders').insertMany([...ORDERS])
    }
  })

  it('permits batches line by line', async () => {
    await permit([`${TYPE}.update`, `${TYPE}.findOne`])
    const lines = [
      { op: 'delete', type: 'order', documentId: OPEN },
      { op: 'upsert', type: 'order', documentId: '65b0000000000000000000ff', data: {} },
      { op: 'upsert', type: 'number', documentId: '7', data: { name: 'x' } },
    ]
    const [answer] = await unchanged(async () => [await bulk(lines)])
    expect(answer?.text).not.to.match(/"result":"(?:created|updated|deleted)"/)
  })

  it('keeps entries and attributes outside of a rule', async () => {
    const rule = {
      action: `${TYPE}.update`,
      where: { orderState: 'open' },
      fields: ['number', 'labels'],
      set: { total: 9 },
    }
    const where = { orderState: 'open' }
    await permit([`${TYPE}.findOne`], [rule, { action: `${TYPE}.delete`, where }])
    const answers = await unchanged(async () => [
      await attempt('update', PAID),
      await attempt('delete', PAID),
      await attempt('update', OPEN, { total: 1 }),
      await attempt('update', OPEN, { orderState: 'paid' }),
      await attempt('update', OPEN, { part: { sku: 'x' } }),
      await attempt('create'),
      await bulk([
        { op: 'upsert', type: 'order', documentId: PAID, data: { number: 'x' } },
        { op: 'delete', type: 'order', documentId: PAID },
        { op: 'upsert', type: 'order', documentId: OPEN, data: { total: 5 } },
      ]),
    ])
    for (const { status, text } of answers.slice(0, 6)) expect(status, text).to.equal(403)
    expect(answers[6]?.text).not.to.match(/"result":"(?:created|updated|deleted)"/)
    expect((await attempt('update', OPEN)).status).to.equal(200)
    const [document] = await foreign.db.collection('orders').find({ number: 'x' }).toArray()
    expect(document).to.deep.include({ canary: CANARY, amounts: { total: 9, cost: CANARY } })
  })

  it('takes no operators and no names of other members', async () => {
    await permit(VERBS.map((verb) => `${TYPE}.${verb}`))
    const values: readonly string[] = [
      '{"number":{"$gt":""}}',
      '{"total":{"$inc":1}}',
      '{"orderState":{"$ne":null}}',
      '{"owner":{"$gt":""}}',
      '{"owner":{"connect":[{"documentId":{"$gt":""}}]}}',
      '{"part":{"sku":{"$gt":""}}}',
      '{"part":{"$set":{"canary":1}}}',
      '{"part":{"sku.x":"1"}}',
      '{"canary":1}',
      '{"amounts":{"total":1}}',
      '{"amounts.total":1}',
      '{"amounts.cost":1}',
      '{"$set":{"canary":1}}',
      '{"_id":"65b0000000000000000000ff"}',
      '{"number.$[]":"x"}',
      '{"__proto__":{"canary":1}}',
      '{"constructor":{"prototype":{"canary":1}}}',
      '{"toString":"x"}',
      `{"number":"${'x'.repeat(100_000)}"}`,
      `{"labels":${'['.repeat(300)}${']'.repeat(300)}}`,
      `{"${'n'.repeat(10_000)}":1}`,
      '{"number":"a","number\\u0000":"b"}',
    ]
    for (const text of values) {
      const body = `{"data":${text}}`
      const headers = { 'content-type': 'application/json' }
      const answers = await unchanged(async () => {
        const send = (method: string, path: string) =>
          server.send(method, path, { body, headers, token: null })
        return [await send('PUT', entry(OPEN)), await send('POST', '/api/orders')]
      })
      for (const { status, text: answered } of answers) {
        expect(status, `${text.slice(0, 80)} ${answered}`).to.equal(400)
        expect(answered.length).to.be.below(5_000)
      }
    }
  })

  it('stores operators, dots and prototype names in JSON as values', async () => {
    await permit(VERBS.map((verb) => `${TYPE}.${verb}`))
    for (const text of [
      '{"$gt":""}',
      '{"$set":{"canary":1}}',
      '{"amounts.total":1,"a.b":{"$inc":1}}',
      '{"constructor":{"prototype":1},"toString":1}',
    ]) {
      const { status, text: answered } = await attempt('update', OPEN, {
        labels: JSON.parse(text),
      })
      expect(status, answered).to.equal(200)
      const { labels, ...rest } = (await foreign.db
        .collection('orders')
        .findOne({ _id: new ObjectId(OPEN) })) as Document
      expect(labels).to.deep.equal(JSON.parse(text))
      const { labels: _labels, ...given } = ORDERS[0] as Document
      expect(rest).to.deep.equal(given)
    }
  })

  it('finds no document by an id of another form', async () => {
    await permit(
      ['order', 'number', 'text'].flatMap((type) =>
        ['update', 'delete'].map((verb) => `api::${type}.${type}.${verb}`),
      ),
    )
    const ids: readonly (readonly [type: string, ids: readonly string[]])[] = [
      ['orders', ['none', '7', OPEN.toUpperCase(), `${OPEN}0`, `${OPEN} `, '{"$gt":""}', '$ne']],
      [
        'numbers',
        ['7.0', '07', '+7', '7e0', '0x7', 'NaN', 'Infinity', '9'.repeat(400), '{"$gt":0}'],
      ],
      ['texts', ['a', 'a.', 'A.B', '$where', '__proto__', 'a.b\u0000', '{"$gt":""}']],
    ]
    for (const [type, all] of ids) {
      for (const id of all) {
        const answers = await unchanged(async () => {
          const path = entry(id, type)
          const body = { data: type === 'orders' ? { number: 'x' } : { name: 'x' } }
          return [
            await server.send('PUT', path, { body, token: null }),
            await server.send('DELETE', path, { token: null }),
          ]
        })
        for (const { status, text } of answers) {
          // A deletion of an entry that is not there succeeds.
          expect(status, `${type} ${id} ${text}`).to.be.oneOf([200, 204, 400, 404])
        }
      }
    }
  })
})
