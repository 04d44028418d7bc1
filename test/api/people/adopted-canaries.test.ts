import { expect } from 'chai'
import { ObjectId } from 'mongodb'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

/** In hidden documents, hidden attributes and members without an attribute. */
const CANARY = 'cnry'
const ORDER = 'api::order.order'
const CUSTOMER = 'api::customer.customer'
const MEMO = 'api::memo.memo'

const ids = {
  shown: new ObjectId('65b000000000000000000001'),
  ofHidden: new ObjectId('65b000000000000000000002'),
  hidden: new ObjectId('65b000000000000000000003'),
  ada: new ObjectId('65a000000000000000000001'),
  hiddenCustomer: new ObjectId('65a000000000000000000002'),
}

const orderOf = (_id: ObjectId, number: string, state: string, customer: ObjectId) => ({
  _id,
  number,
  state,
  note: `${CANARY}note`,
  amounts: { total: 5, cost: `${CANARY}cost` },
  customer,
  lines: [{ sku: state === 'open' ? 'x' : `${CANARY}sku`, cost: `${CANARY}line` }],
  internal: `${CANARY}internal`,
})

const COLLECTIONS = {
  orders: [
    orderOf(ids.shown, 'A-1', 'open', ids.ada),
    orderOf(ids.ofHidden, 'A-2', 'open', ids.hiddenCustomer),
    orderOf(ids.hidden, `${CANARY}number`, 'secret', ids.ada),
  ],
  customers: [
    { _id: ids.ada, name: 'Ada', mail: `${CANARY}mail` },
    { _id: ids.hiddenCustomer, name: `${CANARY}name`, mail: `${CANARY}mail` },
  ],
}

const CONTENT_TYPES = {
  order: {
    info: { singularName: 'order' },
    options: { history: true },
    adopt: {
      collection: 'orders',
      write: true,
      paths: { total: 'amounts.total', orderState: 'state' },
    },
    attributes: {
      number: { type: 'string' },
      orderState: { type: 'string' },
      note: { type: 'string' },
      total: { type: 'float' },
      customer: {
        type: 'relation',
        relation: 'manyToOne',
        target: CUSTOMER,
        inversedBy: 'orders',
      },
      lines: { type: 'component', component: 'shop.line', repeatable: true },
    },
  },
  customer: {
    info: { singularName: 'customer' },
    adopt: { collection: 'customers', write: true },
    attributes: {
      name: { type: 'string' },
      mail: { type: 'string' },
      orders: { type: 'relation', relation: 'oneToMany', target: ORDER, mappedBy: 'customer' },
    },
  },
  memo: declare('memo', {
    text: { type: 'string' },
    order: { type: 'relation', relation: 'manyToOne', target: ORDER },
    orders: { type: 'relation', relation: 'manyToMany', target: ORDER },
  }),
  'components/shop/line': { attributes: { sku: { type: 'string' } } },
  'queries/order-list': {
    type: 'order',
    rules: 'caller',
    populate: { customer: true, lines: true },
  },
}

const RULES = [
  ...['find', 'findOne', 'create', 'update', 'delete'].map((verb) => ({
    action: `${ORDER}.${verb}`,
    where: { orderState: 'open' },
    ...(verb !== 'delete' && { fields: ['number', 'orderState', 'total', 'customer', 'lines'] }),
  })),
  ...['find', 'findOne', 'update', 'delete'].map((verb) => ({
    action: `${CUSTOMER}.${verb}`,
    where: { name: 'Ada' },
    ...(verb !== 'delete' && { fields: ['name', 'orders'] }),
  })),
]

const PERMISSIONS = ['find', 'findOne', 'create', 'update'].map((verb) => `${MEMO}.${verb}`)
const QUERY = 'query::order-list'

describe('hidden documents of adopted types', function () {
  this.slow(5_000)
  let foreign: ForeignDatabase
  let server: TestServer
  let isServed = false
  let token: string
  let ann: AdminClient
  let memo: string

  before(async function () {
    foreign = await openForeignDatabase('adopted_canaries', COLLECTIONS)
    if (!(await hasStreams(foreign))) return this.skip()
    server = await serve('adopted_canaries', {
      contentTypes: CONTENT_TYPES,
      environment: { MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
    })
    isServed = true
    const body = {
      name: 'Reader',
      type: 'custom',
      permissions: [...PERMISSIONS, QUERY],
      rules: RULES,
    }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
    const permissions = PERMISSIONS.map((action) => ({ action }))
    const own = { type: 'ann', name: 'Ann', permissions, rules: RULES }
    const role = await server.send('POST', '/admin/administrator-roles', { body: own })
    expect(role.status, role.text).to.equal(201)
    await addAdministrator(server, 'Ann', ['ann'])
    ann = await signIn(server, 'ann@example.org')
    const every = [ids.shown, ids.ofHidden, ids.hidden].map(String)
    const added = await server.post('/api/memos', {
      text: 'memo',
      order: String(ids.hidden),
      orders: every,
    })
    expect(added.status, added.text).to.equal(201)
    memo = added.body.data.documentId
    const hidden = `/api/orders/${String(ids.hidden)}`
    expect((await server.put(hidden, { note: `${CANARY}later` })).status).to.equal(200)
    await server.settled()
  })
  after(async () => {
    if (isServed) await server.close()
    await foreign.drop()
  })

  const expectHidden = ({ text, headers }: Answer, what: string): void => {
    expect(`${text} ${JSON.stringify(headers)}`, what).not.to.include(CANARY)
  }
  const read = async (path: string): Promise<Answer> => {
    const answer = await server.get(path, { token })
    expectHidden(answer, path)
    return answer
  }

  const LISTS: readonly (readonly [path: string, count: number])[] = [
    ['/api/orders?populate=*&pagination[pageSize]=100', 2],
    ['/api/orders?sort=number:desc&populate[customer][populate]=orders&populate[lines]=true', 2],
    ['/api/orders?filters[customer][name][$startsWith]=c', 0],
    ['/api/orders?filters[customer][name]=Ada', 1],
    ['/api/orders?filters[lines][sku][$startsWith]=c', 0],
    ['/api/orders?filters[number][$startsWith]=c', 0],
    ['/api/orders?filters[orderState]=secret', 0],
    [`/api/orders?filters[documentId]=${String(ids.hidden)}`, 0],
    ['/api/customers?populate[orders][populate]=lines', 1],
    ['/api/customers?filters[orders][number][$startsWith]=c', 0],
    ['/api/customers?filters[orders][orderState]=secret', 0],
    ['/api/memos?populate[order]=true&populate[orders][populate]=*', 1],
    ['/api/memos?filters[order][number][$startsWith]=c', 0],
    ['/api/memos?filters[orders][customer][name][$startsWith]=c', 0],
    ['/api/_q/order-list', 2],
  ]
  for (const [path, count] of LISTS) {
    it(`are in no list, and change no total: ${path}`, async () => {
      const { status, text, body } = await read(path)
      expect(status, text).to.equal(200)
      expect(body.data, text).to.have.length(count)
      expect(body.meta?.pagination?.total ?? count).to.equal(count)
    })
  }

  it('are not related to visible entries', async () => {
    const ofHidden = (await read(`/api/orders/${String(ids.ofHidden)}?populate=*`)).body.data
    expect(ofHidden).to.deep.include({ number: 'A-2', customer: null })
    expect(ofHidden).not.to.have.property('note')
    const { order, orders } = (await read(`/api/memos/${memo}?populate=*`)).body.data
    expect(order).to.equal(null)
    expect(orders.map(({ number }: Json) => number as unknown)).to.have.members(['A-1', 'A-2'])
  })

  it('decide no filter, sort or field of a hidden attribute', async () => {
    const queries = ['filters[note][$null]=true', 'sort=note', 'fields=note', 'filters[internal]=x']
    const nested = ['filters[customer][mail][$null]=true', 'sort=customer.mail']
    for (const query of [...queries, ...nested]) {
      expect((await read(`/api/orders?${query}`)).status, query).to.equal(400)
    }
  })

  it('are found by no id, and changed by no write', async () => {
    const before = await foreign.contents(['orders', 'customers'])
    const line = (op: string, type: string, id: ObjectId, data?: object): string =>
      JSON.stringify({ op, type, documentId: String(id), ...(data && { data }) })
    const requests: readonly (readonly [string, string, object | string | null, number])[] = [
      ['GET', `/api/orders/${String(ids.hidden)}?populate=*`, null, 404],
      ['GET', `/api/customers/${String(ids.hiddenCustomer)}`, null, 404],
      ['PUT', `/api/orders/${String(ids.hidden)}`, { data: { number: 'x' } }, 404],
      ['PUT', `/api/orders/${String(ids.shown)}`, { data: { note: 'x' } }, 403],
      ['PUT', `/api/orders/${String(ids.shown)}`, { data: { internal: 'x' } }, 403],
      ['DELETE', `/api/orders/${String(ids.hidden)}`, null, 204],
      ['DELETE', `/api/customers/${String(ids.hiddenCustomer)}`, null, 204],
      [
        'POST',
        '/api/_bulk',
        [
          line('upsert', 'order', ids.hidden, { number: 'x' }),
          line('delete', 'order', ids.hidden),
          line('upsert', 'customer', ids.hiddenCustomer, { name: 'x' }),
        ].join('\n'),
        200,
      ],
    ]
    for (const [method, path, body, status] of requests) {
      const headers = typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {}
      const sent = { token, headers, ...(body !== null && { body }) }
      const answer = await server.send(method, path, sent)
      expect(answer.status, `${method} ${path}: ${answer.text}`).to.equal(status)
      expectHidden(answer, `${method} ${path}`)
    }
    expect(await foreign.contents(['orders', 'customers'])).to.deep.equal(before)
  })

  it('are in no answer of sync, MCP, search and the description of the API', async () => {
    const call = (name: string, args: object): Promise<Answer> => {
      const params = { name, arguments: args }
      const headers = { accept: 'application/json, text/event-stream' }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      return server.send('POST', '/mcp', { token, headers, body })
    }
    for (const path of ['/api/_sync?types=order', '/api/_live?types=order', '/api/openapi.json']) {
      await read(path)
    }
    await read('/api/_search?query=cnry')
    const found = await call('find', { type: 'order', populate: '*' })
    expect(found.text).to.include('A-1')
    expectHidden(found, 'find')
    for (const documentId of [ids.hidden, ids.shown].map(String)) {
      expectHidden(await call('get', { type: 'order', documentId }), 'get')
    }
  })

  it('are shown by no route of the Studio', async () => {
    const hidden = [`${ORDER}/${String(ids.hidden)}`, `${CUSTOMER}/${String(ids.hiddenCustomer)}`]
    const shown = [
      `${ORDER}/${String(ids.shown)}`,
      `${ORDER}/${String(ids.ofHidden)}`,
      `${MEMO}/${memo}`,
    ]
    const parts = ['', '/locales', '/usages', '/comments', '/facts']
    const paths = [
      ...[ORDER, CUSTOMER, MEMO].map((uid) => `/admin/content/${uid}?populate=*`),
      `/admin/content/${ORDER}?search=cnry`,
      `/admin/content/${ORDER}?filters[number][$startsWith]=c`,
      ...[...hidden, ...shown].flatMap((one) =>
        parts.map((part) => `/admin/content/${one}${part}`),
      ),
      ...[...hidden, ...shown].map((one) => `/admin/history/${one}`),
      '/admin/counts',
      '/admin/trash',
      '/admin/audit',
      '/admin/search?query=cnry',
    ]
    let answered = 0
    for (const path of paths) {
      const answer = await ann.send('GET', path)
      expectHidden(answer, path)
      if (answer.status === 200) answered += 1
      if (hidden.some((one) => path.includes(`/content/${one}`))) {
        if (path.endsWith('/usages')) expect(answer.body.data, path).to.deep.equal([])
        else expect(answer.status, path).to.be.within(400, 404)
      }
    }
    expect(answered).to.be.greaterThan(10)
  })
})
