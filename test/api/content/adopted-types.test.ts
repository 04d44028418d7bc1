import { expect } from 'chai'
import { Decimal128, type Document, Double, Int32, Long, ObjectId, UUID } from 'mongodb'
import { defineExtension } from '../../../src/extensions/extension.ts'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { type ForeignDatabase, openForeignDatabase } from '../../support/foreign-database.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const [ADA, BOB] = ['65a000000000000000000001', '65a000000000000000000002']
const ORDERS = [1, 2, 3, 4].map((number) => `65b00000000000000000000${number}`)
const [FIRST = '', SECOND = '', THIRD = '', FOURTH = ''] = ORDERS
const DEVICE = '0b6ad6b4-2b57-4f0b-9a57-0123456789ab'

const customers: readonly Document[] = [
  { _id: new ObjectId(ADA), name: 'Ada', secret: 'hidden', since: new Date('2020-02-03') },
  { _id: new ObjectId(BOB), name: 'Bob', since: new Date('2021-02-03T04:05:06Z') },
]

const orders: readonly Document[] = [
  {
    _id: new ObjectId(FIRST),
    number: 'A-1',
    state: 'open',
    amounts: { total: new Double(12.5), tax: Decimal128.fromString('2.10') },
    customer: new ObjectId(ADA),
    watchers: [new ObjectId(ADA), BOB],
    placed: new Date('2024-01-02T03:04:05Z'),
    lines: [{ sku: 'x', quantity: 2 }, 'no object', { sku: 7, quantity: 1.5 }],
    address: { city: 'Köln', geo: { type: 'Point' } },
    labels: ['new', { by: new ObjectId(BOB), n: Long.fromString('9007199254740993') }],
    device: new UUID(DEVICE),
    country: 'DE',
    internal: 'never shown',
  },
  {
    _id: new ObjectId(SECOND),
    number: new ObjectId(ADA),
    state: 'unknown',
    amounts: { total: new Int32(3), tax: 'free' },
    customer: BOB,
    watchers: 'nobody',
    placed: '2024-01-02',
    lines: { sku: 'y' },
    address: ['Köln'],
    country: 'FR',
    big: Long.fromString('9223372036854775807'),
  },
  { _id: new ObjectId(THIRD), number: 'A-3', state: 'paid', amounts: [{ total: 9 }], paid: true },
  { _id: new ObjectId(FOURTH), number: ['A-1'], amounts: { total: Number.NaN }, paid: 'yes' },
]

const devices: readonly Document[] = [
  { _id: new UUID(DEVICE), name: 'scale' },
  { _id: new UUID('0b6ad6b4-2b57-4f0b-9a57-ffffffffffff'), name: 'till' },
]
const countries: readonly Document[] = [
  { _id: 'DE', name: 'Germany' },
  { _id: 'a:b/c', name: 'odd' },
]
const counters: readonly Document[] = [
  { _id: 10, name: 'ten' },
  { _id: new Long(9), name: 'nine' },
]

const LONG = 10_000
const carts: readonly Document[] = [
  { _id: 'long', lines: Array.from({ length: LONG }, (_, place) => ({ sku: `s${place}` })) },
]

const COLLECTIONS = ['customers', 'orders', 'devices', 'countries', 'counters', 'carts']

function adopt(name: string, collection: string, attributes: object, paths: object = {}) {
  return { info: { singularName: name }, attributes, adopt: { collection, id: '_id', paths } }
}

const NAME = { name: { type: 'string' } }

const CONTENT_TYPES = {
  customer: adopt('customer', 'customers', {
    ...NAME,
    since: { type: 'date' },
    orders: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::order.order',
      mappedBy: 'customer',
    },
  }),
  order: adopt(
    'order',
    'orders',
    {
      number: { type: 'string', required: true },
      status_: { type: 'enumeration', enum: ['open', 'paid'] },
      total: { type: 'float' },
      tax: { type: 'decimal' },
      big: { type: 'biginteger' },
      paid: { type: 'boolean' },
      placed: { type: 'datetime' },
      labels: { type: 'json' },
      customer: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::customer.customer',
        inversedBy: 'orders',
      },
      watchers: { type: 'relation', relation: 'manyToMany', target: 'api::customer.customer' },
      device: { type: 'relation', relation: 'manyToOne', target: 'api::device.device' },
      country: { type: 'relation', relation: 'manyToOne', target: 'api::country.country' },
      lines: { type: 'component', component: 'shop.line', repeatable: true },
      address: { type: 'component', component: 'shop.address' },
      reviews: {
        type: 'relation',
        relation: 'oneToMany',
        target: 'api::review.review',
        mappedBy: 'order',
      },
    },
    { status_: 'state', total: 'amounts.total', tax: 'amounts.tax', createdAt: 'placed' },
  ),
  device: adopt('device', 'devices', NAME),
  country: adopt('country', 'countries', NAME),
  counter: adopt('counter', 'counters', NAME),
  cart: adopt('cart', 'carts', {
    lines: { type: 'component', component: 'shop.line', repeatable: true },
  }),
  ticket: adopt('ticket', 'tickets', {
    brand: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::brand.brand',
      inversedBy: 'tickets',
    },
  }),
  brand: declare('brand', {
    ...NAME,
    tickets: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::ticket.ticket',
      mappedBy: 'brand',
    },
  }),
  review: declare('review', {
    text: { type: 'string' },
    order: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::order.order',
      inversedBy: 'reviews',
    },
  }),
  'components/shop/line': {
    attributes: { sku: { type: 'string' }, quantity: { type: 'integer' } },
  },
  'components/shop/address': { attributes: { city: { type: 'string' } } },
}

describe('an adopted collection', () => {
  let foreign: ForeignDatabase
  let server: TestServer
  let untouched: readonly string[]

  before(async () => {
    foreign = await openForeignDatabase('adopted', {
      customers,
      orders,
      devices,
      countries,
      counters,
      carts,
    })
    await foreign.db.collection('orders').createIndex({ state: 1 })
    untouched = await foreign.contents(COLLECTIONS)
    server = await serve('adopted', {
      contentTypes: CONTENT_TYPES,
      environment: { MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off' },
      extensions: [defineExtension({ name: 'shop' })],
    })
  })

  after(async () => {
    await server.close()
    await foreign.drop()
  })

  async function data(path: string): Promise<Json> {
    const { status, body, text } = await server.get(path)
    expect(status, text).to.equal(200)
    return body.data
  }

  async function idsOf(path: string): Promise<readonly string[]> {
    return (await data(path)).map(({ documentId }: Json) => documentId)
  }

  it('shows declared values of the declared types, and null for others', async () => {
    const [first, second, third, fourth] = await data('/api/orders')
    expect(first).to.deep.equal({
      id: null,
      documentId: FIRST,
      number: 'A-1',
      status_: 'open',
      total: 12.5,
      tax: 2.1,
      big: null,
      paid: null,
      placed: '2024-01-02T03:04:05.000Z',
      labels: ['new', { by: BOB, n: '9007199254740993' }],
      createdAt: '2024-01-02T03:04:05.000Z',
      updatedAt: null,
      publishedAt: null,
    })
    expect(second).to.deep.include({
      number: ADA,
      status_: null,
      total: 3,
      tax: null,
      placed: null,
      big: '9223372036854775807',
    })
    expect(third).to.deep.include({ total: null, paid: true })
    expect(fourth).to.deep.include({ number: null, total: null, paid: null })
  })

  it('finds an entry by its documentId, and no other', async () => {
    expect((await data(`/api/orders/${FIRST}?fields=number`)).number).to.equal('A-1')
    for (const id of [
      '65b000000000000000000009',
      FIRST.toUpperCase(),
      'x',
      '%00',
      'a'.repeat(2_000),
    ]) {
      expect((await server.get(`/api/orders/${id}`)).status, id).to.equal(404)
    }
    expect((await data(`/api/devices/${DEVICE}`)).name).to.equal('scale')
    expect((await data('/api/countries/a%3Ab%2Fc')).name).to.equal('odd')
    expect(await data('/api/counters/9')).to.deep.include({ id: 9, documentId: '9', name: 'nine' })
    expect((await server.get('/api/counters/09')).status).to.equal(404)
  })

  it('lists in the order of the ids', async () => {
    expect(await idsOf('/api/orders')).to.deep.equal(ORDERS)
    expect(await idsOf('/api/orders?sort=documentId:desc')).to.deep.equal(ORDERS.toReversed())
    expect(await idsOf('/api/counters')).to.deep.equal(['9', '10'])
    expect(await idsOf('/api/counters?sort=id:desc')).to.deep.equal(['10', '9'])
    expect((await data('/api/devices')).map(({ name }: Json) => name)).to.deep.equal([
      'scale',
      'till',
    ])
  })

  const FILTERS: readonly (readonly [string, readonly string[]])[] = [
    ['filters[number]=A-1', [FIRST]],
    [`filters[number]=${ADA}`, [SECOND]],
    ['filters[number][$null]=true', [FOURTH]],
    ['filters[number][$startsWith]=A', [FIRST, THIRD]],
    ['filters[status_]=open', [FIRST]],
    ['filters[status_][$ne]=open', [SECOND, THIRD, FOURTH]],
    ['filters[total][$gt]=2', [FIRST, SECOND]],
    ['filters[total][$null]=true', [THIRD, FOURTH]],
    ['filters[tax]=2.1', [FIRST]],
    ['filters[big]=9223372036854775807', [SECOND]],
    ['filters[paid]=true', [THIRD]],
    ['filters[placed][$gte]=2024-01-01T00:00:00Z', [FIRST]],
    ['filters[createdAt][$notNull]=true', [FIRST]],
    [`filters[documentId][$in][0]=${FIRST}&filters[documentId][$in][1]=${THIRD}`, [FIRST, THIRD]],
    [`filters[documentId][$gt]=${SECOND}`, [THIRD, FOURTH]],
    ['filters[documentId][$endsWith]=2', [SECOND]],
    ['filters[lines][sku]=x', [FIRST]],
    ['filters[lines][quantity]=2', [FIRST]],
    ['filters[lines][quantity]=1', []],
    ['filters[address][city]=Köln', [FIRST]],
    ['filters[address][$null]=true', [SECOND, THIRD, FOURTH]],
    ['filters[customer][name]=Ada', [FIRST]],
    [`filters[customer][documentId]=${BOB}`, [SECOND]],
    ['filters[watchers][name]=Bob', [FIRST]],
    ['filters[device][name]=scale', [FIRST]],
    [`filters[device][documentId]=${DEVICE}`, [FIRST]],
    ['filters[country][name]=Germany', [FIRST]],
    ['filters[$or][0][paid]=true&filters[$or][1][number]=A-1', [FIRST, THIRD]],
    ['filters[$not][total][$gt]=2', [THIRD, FOURTH]],
    ['_q=a-3', [THIRD]],
  ]

  for (const [filter, expected] of FILTERS) {
    it(`filters by the shown values: ${filter}`, async () => {
      const { body, status, text } = await server.get(`/api/orders?${encodeURI(filter)}`)
      expect(status, text).to.equal(200)
      expect(body.data.map(({ documentId }: Json) => documentId)).to.deep.equal(expected)
      expect(body.meta.pagination.total).to.equal(expected.length)
    })
  }

  it('sorts by the shown values', async () => {
    expect(await idsOf('/api/orders?sort=total')).to.deep.equal([THIRD, FOURTH, SECOND, FIRST])
    expect(await idsOf('/api/orders?sort=total:desc')).to.deep.equal([FIRST, SECOND, FOURTH, THIRD])
    expect(await idsOf('/api/orders?sort=address.city:desc')).to.deep.equal([
      FIRST,
      FOURTH,
      THIRD,
      SECOND,
    ])
  })

  for (const order of ['', 'total', 'total:desc', 'documentId:desc', 'number,placed:desc']) {
    it(`continues from a cursor in the order ${order}`, async () => {
      const sort = order === '' ? '' : `&sort=${order}`
      const all = await idsOf(`/api/orders?fields=number${sort}`)
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body, text, status } = await server.get(
          `/api/orders?pagination[cursor]=${cursor}&pagination[pageSize]=1${sort}`,
        )
        expect(status, text).to.equal(200)
        seen.push(...body.data.map(({ documentId }: Json) => documentId))
        cursor = body.meta.pagination.nextCursor
      }
      expect(seen).to.deep.equal(all)
    })
  }

  it('pages by number and by offset', async () => {
    expect(await idsOf('/api/orders?pagination[page]=2&pagination[pageSize]=3')).to.deep.equal([
      FOURTH,
    ])
    expect(await idsOf('/api/orders?pagination[start]=1&pagination[limit]=2')).to.deep.equal([
      SECOND,
      THIRD,
    ])
  })

  it('numbers the elements of a long list of components in time', async () => {
    const { status, body } = await server.get('/api/carts/long?populate=*')
    expect(status).to.equal(200)
    const { lines } = body.data
    expect(lines).to.have.length(LONG)
    expect(lines.at(-1)).to.deep.equal({ id: LONG, sku: `s${LONG - 1}`, quantity: null })
  })

  it('populates relations, components and the other side', async () => {
    const populate = ['customer', 'watchers', 'device', 'country', 'lines', 'address', 'reviews']
    const [first, second] = await data(
      `/api/orders?${populate.map((name) => `populate[${name}]=true`).join('&')}`,
    )
    expect(first.customer.name).to.equal('Ada')
    expect(first.watchers.map(({ name }: Json) => name)).to.deep.equal(['Ada', 'Bob'])
    expect(first.device.name).to.equal('scale')
    expect(first.country.name).to.equal('Germany')
    expect(first.lines).to.deep.equal([
      { id: 1, sku: 'x', quantity: 2 },
      { id: 2, sku: null, quantity: null },
    ])
    expect(first.address).to.deep.equal({ id: 1, city: 'Köln' })
    expect(second).to.deep.include({ watchers: [], device: null, country: null, address: null })
    expect(second.customer.name).to.equal('Bob')
    const [ada] = await data('/api/customers?populate=orders')
    expect(ada.since).to.equal('2020-02-03')
    expect(ada.orders.map(({ documentId }: Json) => documentId)).to.deep.equal([FIRST])
    const [device] = await data('/api/orders?populate[device][fields]=name&filters[number]=A-1')
    expect(device.device).to.deep.equal({ id: null, documentId: DEVICE, name: 'scale' })
  })

  it('is the target of managed entries, in both directions', async () => {
    const { body, status, text } = await server.post('/api/reviews', {
      text: 'fine',
      order: SECOND,
    })
    expect(status, text).to.equal(201)
    const review = await data(`/api/reviews/${body.data.documentId}?populate=order`)
    expect(review.order.documentId).to.equal(SECOND)
    const [order] = await data(`/api/orders?filters[reviews][text]=fine&populate=reviews`)
    expect(order.documentId).to.equal(SECOND)
    expect(order.reviews.map(({ text: own }: Json) => own)).to.deep.equal(['fine'])
    expect(await idsOf('/api/reviews?filters[order][total]=3')).to.have.length(1)
    const missing = await server.post('/api/reviews', {
      text: 'x',
      order: '65b000000000000000000009',
    })
    expect(missing.status).to.equal(400)
    const refused = await server.get('/api/reviews?sort=order.total')
    expect(refused.status).to.equal(400)
    expect(refused.text).to.include('another service writes')
  })

  it('refuses every write, and leaves documents and indexes as they were', async () => {
    const entry = `/api/orders/${FIRST}`
    for (const [method, path] of [
      ['POST', '/api/orders'],
      ['PUT', entry],
      ['DELETE', entry],
      ['POST', `${entry}/actions/publish`],
    ] as const) {
      const { status } = await server.send(method, path, { body: { data: { number: 'B' } } })
      expect(status, `${method} ${path}`).to.be.oneOf([404, 405])
    }
    const { headers } = await server.delete(entry)
    expect(headers['error-code']).to.equal('method_not_allowed')
    for (const [method, path] of [
      ['POST', '/admin/content/api::order.order'],
      ['PUT', `/admin/content/api::order.order/${FIRST}`],
      ['DELETE', `/admin/content/api::order.order/${FIRST}`],
    ] as const) {
      const answer = await server.send(method, path, { body: { data: { number: 'B' } } })
      expect(answer.status, `${method} ${path} ${answer.text}`).to.equal(403)
      expect(answer.headers['error-code']).to.equal('read_only_type')
    }
    const lines = [
      { op: 'upsert', type: 'order', documentId: 'a'.repeat(24), data: { number: 'B' } },
      { op: 'delete', type: 'order', documentId: 'a'.repeat(24) },
    ]
    const bulk = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    const answers = bulk.text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    expect(answers.map(({ code }) => code)).to.deep.equal(['read_only_type', 'read_only_type'])
    const content = server.contentFor('shop') as unknown as Json
    const acting = { as: 'system' }
    for (const call of [
      () => content.orders.create({ number: 'B' }, acting),
      () => content.orders.update(FIRST, { number: 'B' }, acting),
      () => content.orders.delete(FIRST, acting),
    ]) {
      const error: Json = await call().then(
        () => null,
        (caught: unknown) => caught,
      )
      expect(error?.errorCode, String(error)).to.equal('read_only_type')
    }
    const call = { name: 'delete', arguments: { type: 'order', documentId: FIRST } }
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const answer = await server.send('POST', '/mcp', {
      headers: { accept: 'application/json, text/event-stream' },
      body: rpc,
    })
    expect(answer.text).to.include('order is only read here')
    const customer = await server.put(`/api/customers/${ADA}`, { orders: [] })
    expect(customer.status).to.equal(405)
    expect(await foreign.contents(COLLECTIONS)).to.deep.equal(untouched)
  })

  it('owns relations of managed types, which cannot write the other side', async () => {
    const made = await server.post('/api/brands', { name: 'Acme' })
    const brand: string = made.body.data.documentId
    const tickets = foreign.db.collection('tickets')
    const ticket = { _id: new ObjectId(), brand }
    await tickets.insertOne(ticket)
    const hex = ticket._id.toHexString()
    const linked = async (): Promise<unknown> =>
      (await data(`/api/brands/${brand}?populate=tickets`)).tickets.map(
        ({ documentId }: Json) => documentId,
      )
    expect(await linked()).to.deep.equal([hex])
    for (const change of [[], null, { set: [] }, { disconnect: [hex] }]) {
      const { status, text } = await server.put(`/api/brands/${brand}`, { tickets: change })
      expect(status, `${JSON.stringify(change)} ${text}`).to.equal(403)
      expect(text).to.include('ticket is only read here')
    }
    expect(await linked()).to.deep.equal([hex])
    expect((await server.send('DELETE', `/api/brands/${brand}`)).status).to.be.oneOf([200, 204])
    expect(await tickets.findOne({ _id: ticket._id })).to.deep.equal(ticket)
    expect((await data(`/api/tickets/${hex}?populate=brand`)).brand).to.equal(null)
    await tickets.drop()
  })

  it('has no search of several types, no pushes and no cached responses', async () => {
    expect((await server.get('/api/_search?q=a&types=order')).status).to.be.oneOf([400, 404])
    const anonymous = { token: null }
    const { headers } = await server.get('/api/orders', anonymous)
    expect(headers['cache-control'] ?? '').not.to.include('public')
    const customers_ = foreign.db.collection('customers')
    const renamed = new ObjectId()
    await customers_.insertOne({ _id: renamed, name: 'Cy' })
    expect(await idsOf('/api/customers?filters[name]=Cy')).to.deep.equal([renamed.toHexString()])
    await customers_.updateOne({ _id: renamed }, { $set: { name: 'Di' } })
    expect(await idsOf('/api/customers?filters[name]=Cy')).to.deep.equal([])
    await customers_.deleteOne({ _id: renamed })
  })

  it('describes reading doors only', async () => {
    const { paths } = (await server.get('/api/openapi.json', { token: ROOT_TOKEN })).body
    expect(Object.keys(paths['/api/orders'])).to.deep.equal(['get'])
    expect(Object.keys(paths['/api/orders/{documentId}'])).to.deep.equal(['get'])
  })

  it('refuses ids of several types at the start', async () => {
    const mixed = await openForeignDatabase('mixedids', {
      orders: [{ _id: 1 }, { _id: 'a' }],
    })
    try {
      const contentTypes = { order: adopt('order', 'orders', NAME) }
      const environment = { MONGODB_DATABASE: mixed.name }
      const started = await serve('mixedids', { contentTypes, environment }).then(
        () => null,
        (caught: unknown) => caught,
      )
      expect(started).to.be.instanceOf(SchemaError)
      expect(String(started)).to.include('orders has ids of several types: number and text')
    } finally {
      await mixed.drop()
    }
  })
})
