import { expect } from 'chai'
import { Decimal128, type Document, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb'
import { defineExtension } from '../../../src/extensions/extension.ts'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const ADA = '65a000000000000000000001'
const BOB = '65a000000000000000000002'
const FIRST = '65b000000000000000000001'
const DEVICE = '0b6ad6b4-2b57-4f0b-9a57-0123456789ab'
const WAIT_MS = 30_000

const ORDER: Document = {
  _id: new ObjectId(FIRST),
  number: 'A-1',
  state: 'open',
  amounts: { total: new Double(12), tax: Decimal128.fromString('2.10'), kept: new Timestamp(1n) },
  count: new Long(5),
  placed: new Date('2024-01-02T03:04:05Z'),
  customer: new ObjectId(ADA),
  watchers: [ADA, new Int32(7), new ObjectId(BOB)],
  lines: [{ sku: 'x', quantity: 2, kept: 1 }, 'no object', { sku: 'y', quantity: 1, kept: 2 }],
  address: { city: 'Köln', geo: { type: 'Point' } },
  labels: { by: new ObjectId(BOB), n: Long.fromString('9007199254740993'), at: new Date(0) },
  device: new UUID(DEVICE),
  gone: null,
  internal: 'never shown',
}

const CONTENT_TYPES = {
  order: {
    info: { singularName: 'order' },
    options: { history: true },
    adopt: {
      collection: 'orders',
      write: true,
      paths: {
        orderState: 'state',
        total: 'amounts.total',
        tax: 'amounts.tax',
        note: 'gone.note',
        other: 'gone.other',
        blocked: 'internal.blocked',
        updatedAt: 'changed',
      },
    },
    attributes: {
      number: { type: 'string', required: true, maxLength: 20 },
      orderState: { type: 'enumeration', enum: ['open', 'paid'] },
      total: { type: 'float', min: 0 },
      tax: { type: 'decimal' },
      count: { type: 'integer' },
      placed: { type: 'datetime' },
      note: { type: 'string' },
      other: { type: 'string' },
      blocked: { type: 'string', writable: true },
      labels: { type: 'json' },
      customer: { type: 'relation', relation: 'manyToOne', target: 'api::customer.customer' },
      watchers: { type: 'relation', relation: 'manyToMany', target: 'api::customer.customer' },
      device: { type: 'relation', relation: 'manyToOne', target: 'api::device.device' },
      brand: { type: 'relation', relation: 'manyToOne', target: 'api::brand.brand' },
      lines: { type: 'component', component: 'shop.line', repeatable: true },
      address: { type: 'component', component: 'shop.address' },
    },
  },
  customer: {
    info: { singularName: 'customer' },
    adopt: { collection: 'customers', write: true, version: 'rev' },
    attributes: { name: { type: 'string' } },
  },
  device: {
    info: { singularName: 'device' },
    adopt: { collection: 'devices', write: true },
    attributes: { name: { type: 'string' } },
  },
  country: {
    info: { singularName: 'country' },
    adopt: { collection: 'countries', write: true },
    attributes: { name: { type: 'string' } },
  },
  brand: declare('brand', { name: { type: 'string' } }),
  'components/shop/line': {
    attributes: { sku: { type: 'string' }, quantity: { type: 'integer' } },
  },
  'components/shop/address': { attributes: { city: { type: 'string' }, zip: { type: 'string' } } },
}

describe('writes of adopted collections', function () {
  let foreign: ForeignDatabase
  let server: TestServer
  let isFollowed = false
  const seen: Json[] = []
  /** Done by another service between the read and the write. */
  let meanwhile: (() => Promise<void>) | null = null

  before(async function () {
    foreign = await openForeignDatabase('adoptwrite', {
      orders: [ORDER],
      customers: [
        { _id: new ObjectId(ADA), name: 'Ada', rev: new Long(7), kept: 1 },
        { _id: new ObjectId(BOB), name: 'Bob' },
      ],
      devices: [{ _id: new UUID(DEVICE), name: 'scale' }],
      countries: [{ _id: 'DE', name: 'Germany' }],
    })
    isFollowed = await hasStreams(foreign)
    if (!isFollowed) return this.skip()
    server = await serve('adoptwrite', {
      contentTypes: CONTENT_TYPES,
      environment: { MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off' },
      extensions: [
        defineExtension({
          name: 'shop',
          contentTypes: {
            'api::order.order': {
              beforeWrite: async ({ data, operation }: Json) => {
                seen.push({ operation, data })
                await meanwhile?.()
                return undefined
              },
            },
          },
        }),
      ],
    })
  })

  beforeEach(async () => {
    await foreign.db.collection('orders').deleteMany({})
    await foreign.db.collection('orders').insertOne(ORDER)
  })

  after(async () => {
    if (isFollowed) await server.close()
    await foreign.drop()
  })

  const ENTRY = `/api/orders/${FIRST}`

  async function stored(collection = 'orders', _id: unknown = ORDER['_id']): Promise<Document> {
    const options = { promoteValues: false, promoteLongs: false } as const
    const found = await foreign.db.collection(collection).findOne({ _id: _id as ObjectId }, options)
    if (found === null) throw new Error('there is no such document')
    return found
  }

  async function put(body: object, headers: Record<string, string> = {}): Promise<Json> {
    return server.send('PUT', ENTRY, { body: { data: body }, headers })
  }

  it('sets the given attributes and nothing else', async () => {
    const before = await stored()
    const answer = await put({ number: 'A-2', total: 13, tax: '3.5', count: 6, orderState: 'paid' })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.data).to.include({ number: 'A-2', total: 13, count: 6, orderState: 'paid' })
    const after = await stored()
    const { changed, ...rest } = after
    expect(changed).to.be.instanceOf(Date)
    expect(rest).to.deep.equal({
      ...before,
      number: 'A-2',
      state: 'paid',
      count: new Long(6),
      amounts: { ...before['amounts'], total: new Double(13), tax: Decimal128.fromString('3.5') },
    })
    expect(Object.keys(rest)).to.deep.equal(Object.keys(before))
  })

  it('changes nothing for equal values', async () => {
    const before = await foreign.contents(['orders'])
    const read = (await server.get(`${ENTRY}?populate=*`)).body.data
    const { id: _id, documentId: _d, createdAt: _c, updatedAt: _u, publishedAt: _p, ...all } = read
    const data = {
      ...all,
      customer: ADA,
      watchers: [ADA, BOB],
      device: DEVICE,
      brand: null,
    }
    const answer = await put(data)
    expect(answer.status, answer.text).to.equal(200)
    expect(await foreign.contents(['orders'])).to.deep.equal(before)
  })

  it('keeps the types of stored values in JSON and in references', async () => {
    const labels = {
      by: ADA,
      n: '9007199254740994',
      at: '2020-01-01T00:00:00.000Z',
      new: { $x: 1 },
    }
    const answer = await put({ labels, watchers: [BOB, ADA], customer: BOB, device: null })
    expect(answer.status, answer.text).to.equal(200)
    const after = await stored()
    expect(after['labels']).to.deep.equal({
      by: new ObjectId(ADA),
      n: Long.fromString('9007199254740994'),
      at: new Date('2020-01-01'),
      new: { $x: new Int32(1) },
    })
    expect(after['watchers']).to.deep.equal([new ObjectId(BOB), new Int32(7), ADA])
    expect(after['customer']).to.deep.equal(new ObjectId(BOB))
    expect(after['device']).to.equal(null)
    expect(answer.body.data.labels).to.deep.equal(labels)
  })

  it('keeps members of components that are not declared', async () => {
    const changed = await put({
      address: { city: 'Bonn', zip: '53111' },
      lines: [
        { id: 1, sku: 'x', quantity: 3 },
        { id: 2, sku: 'y', quantity: 1 },
      ],
    })
    expect(changed.status, changed.text).to.equal(200)
    const after = await stored()
    expect(after['address']).to.deep.equal({
      city: 'Bonn',
      geo: { type: 'Point' },
      zip: '53111',
    })
    expect(after['lines']).to.deep.equal([
      { sku: 'x', quantity: new Int32(3), kept: new Int32(1) },
      'no object',
      { sku: 'y', quantity: new Int32(1), kept: new Int32(2) },
    ])
    const moved = await put({ lines: [{ sku: 'new' }, { id: 2 }, { sku: 'x', quantity: 3 }] })
    expect(moved.status, moved.text).to.equal(200)
    expect((await stored())['lines']).to.deep.equal([
      { sku: 'new' },
      'no object',
      { sku: 'y', quantity: new Int32(1), kept: new Int32(2) },
      { sku: 'x', quantity: new Int32(3), kept: new Int32(1) },
    ])
  })

  it('makes a document of null on the way, and refuses other values there', async () => {
    const made = await put({ note: 'a', other: 'b' })
    expect(made.status, made.text).to.equal(200)
    expect((await stored())['gone']).to.deep.equal({ note: 'a', other: 'b' })
    const blocked = await put({ blocked: 'x' })
    expect(blocked.status, blocked.text).to.equal(400)
    expect(blocked.headers['error-code']).to.equal('conflicting_state')
    expect(await stored()).to.deep.include({ internal: 'never shown' })
  })

  it('validates values like other types', async () => {
    for (const data of [
      { number: null },
      { total: -1 },
      { orderState: 'lost' },
      { customer: FIRST },
      { internal: 'x' },
    ]) {
      const { status, text } = await put(data)
      expect(status, text).to.equal(400)
    }
    expect(await stored()).to.have.property('internal', 'never shown')
  })

  it('compares If-Match with a digest of the declared values', async () => {
    const tag = String((await server.get(`${ENTRY}?fields=number`)).headers['etag'])
    await foreign.db
      .collection('orders')
      .updateOne({ _id: ORDER['_id'] }, { $set: { internal: 2 } })
    const first = await put({ number: 'A-2' }, { 'if-match': tag })
    expect(first.status, first.text).to.equal(200)
    const second = await put({ number: 'A-3' }, { 'if-match': tag })
    expect(second.status, second.text).to.equal(412)
    const third = await put({ number: 'A-3' }, { 'if-match': String(first.headers['etag']) })
    expect(third.status, third.text).to.equal(200)
    await foreign.db
      .collection('orders')
      .updateOne({ _id: ORDER['_id'] }, { $set: { number: 'Z' } })
    const late = await put({ number: 'A-4' }, { 'if-match': String(third.headers['etag']) })
    expect(late.status, late.text).to.equal(412)
    expect(await stored()).to.deep.include({ number: 'Z', internal: new Int32(2) })
  })

  it('has the same revisions in all processes with the same secret', async () => {
    const revisionWith = async (environment: Readonly<Record<string, string>>) => {
      const options = { ...environment, MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off' }
      const other = await serve('adoptwrite_other', {
        contentTypes: CONTENT_TYPES,
        environment: options,
      })
      const tag = String((await other.get(ENTRY)).headers['etag'])
      await other.close()
      return tag.split('-')[0]
    }
    const own = String((await server.get(ENTRY)).headers['etag']).split('-')[0]
    expect(await revisionWith({})).to.equal(own)
    expect(await revisionWith({ JWT_SECRET: 'another' })).to.not.equal(own)
  })

  it('compares and increments a declared version', async () => {
    const path = `/api/customers/${ADA}`
    const read = await server.get(path)
    const headers = { 'if-match': String(read.headers['etag']) }
    const send = (name: string) => server.send('PUT', path, { body: { data: { name } }, headers })
    expect((await send('Ida')).status).to.equal(200)
    expect(await stored('customers', new ObjectId(ADA))).to.deep.equal({
      _id: new ObjectId(ADA),
      name: 'Ida',
      rev: new Long(8),
      kept: new Int32(1),
    })
    expect((await send('Eva')).status).to.equal(412)
    const bob = await server.put(`/api/customers/${BOB}`, { name: 'Rob' })
    expect(bob.status, bob.text).to.equal(200)
    expect((await stored('customers', new ObjectId(BOB)))['rev']).to.deep.equal(new Int32(1))
  })

  it('creates and deletes documents with ids that drivers make', async () => {
    const made = await server.post('/api/orders', {
      number: 'N',
      total: 1.5,
      lines: [{ sku: 'a' }],
    })
    expect(made.status, made.text).to.equal(201)
    const id: string = made.body.data.documentId
    const { changed, ...document } = await stored('orders', new ObjectId(id))
    expect(changed).to.be.instanceOf(Date)
    expect(document).to.deep.equal({
      _id: new ObjectId(id),
      number: 'N',
      amounts: { total: new Double(1.5) },
      lines: [{ sku: 'a' }],
    })
    const again = await server.send('PUT', `/api/orders/${id}`, {
      body: { data: { number: 'M' } },
      headers: { 'if-match': String(made.headers['etag']) },
    })
    expect(again.status, again.text).to.equal(200)
    expect((await server.delete(`/api/orders/${id}`)).status).to.be.oneOf([200, 204])
    expect(await foreign.db.collection('orders').countDocuments()).to.equal(1)
    const device = await server.post('/api/devices', { name: 'new' })
    expect(device.body.data.documentId).to.match(/^[0-9a-f-]{36}$/)
    expect(await stored('devices', new UUID(device.body.data.documentId))).to.include({
      name: 'new',
    })
    const country = await server.post('/api/countries', { name: 'France' })
    expect(country.status).to.equal(405)
    const renamed = await server.put('/api/countries/DE', { name: 'Deutschland' })
    expect(renamed.status, renamed.text).to.equal(200)
    const missing = await server.put(`/api/orders/${ADA}`, { number: 'x' })
    expect(missing.status).to.equal(404)
    expect((await server.put('/api/orders/none', { number: 'x' })).status).to.equal(404)
  })

  it('writes through every door', async () => {
    const admin = `/admin/content/api::order.order`
    const saved = await server.send('PUT', `${admin}/${FIRST}`, { body: { data: { number: 'S' } } })
    expect(saved.status, saved.text).to.equal(200)
    expect(await stored()).to.include({ number: 'S' })
    const added = await server.send('POST', admin, { body: { data: { number: 'T' } } })
    expect(added.status, added.text).to.equal(201)
    const removed = await server.send('DELETE', `${admin}/${added.body.data.documentId}`)
    expect(removed.status, removed.text).to.be.oneOf([200, 204])
    const fresh = '65b0000000000000000000ff'
    const lines = [
      { op: 'upsert', type: 'order', documentId: FIRST, data: { number: 'B' } },
      { op: 'upsert', type: 'order', documentId: FIRST, data: { number: 'B' } },
      { op: 'upsert', type: 'order', documentId: fresh, data: { number: 'C' } },
      { op: 'delete', type: 'order', documentId: fresh },
      { op: 'upsert', type: 'country', documentId: 'FR', data: { name: 'France' } },
    ]
    const bulk = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    const answers = bulk.text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    expect(
      answers.map(({ result, code }) => result ?? code),
      bulk.text,
    ).to.include.members(['updated', 'unchanged', 'created', 'deleted', 'read_only_type'])
    expect(await stored()).to.include({ number: 'B' })
    const content = server.contentFor('shop') as unknown as Json
    const acting = { as: 'system' }
    await content.orders.update(FIRST, { number: 'E' }, acting)
    expect(await stored()).to.include({ number: 'E' })
    const own = await content.orders.create({ number: 'F' }, acting)
    await content.orders.delete(own.documentId, acting)
    const tag = String((await server.get(ENTRY)).headers['etag'])
    const [revision] = tag.replaceAll('"', '').split('-')
    const call = {
      name: 'update',
      arguments: { type: 'order', documentId: FIRST, revision, data: { number: 'M' } },
    }
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const tool = await server.send('POST', '/mcp', {
      headers: { accept: 'application/json, text/event-stream' },
      body: rpc,
    })
    expect(tool.status, tool.text).to.equal(200)
    expect(await stored(), tool.text).to.include({ number: 'M' })
    expect(seen.map(({ operation }) => operation)).to.include.members([
      'create',
      'update',
      'delete',
    ])
    expect(await foreign.db.collection('orders').countDocuments()).to.equal(1)
  })

  it('applies rules without a mark in the document', async () => {
    const rule = { action: 'api::order.order.update', where: { orderState: 'open' } }
    const permissions = ['api::order.order.findOne']
    const rules = [{ ...rule, fields: ['total', 'orderState'], set: { count: 9 } }]
    const saved = await server.send('PUT', '/admin/roles/public', {
      body: { permissions, rules },
    })
    expect(saved.status, saved.text).to.equal(200)
    const send = (data: object) => server.send('PUT', ENTRY, { body: { data }, token: null })
    const before = await foreign.contents(['orders'])
    for (const data of [{ number: 'x' }, { count: 1 }, { total: 1, orderState: 'paid' }]) {
      const { status, text } = await send(data)
      expect(status, text).to.equal(403)
    }
    expect(await foreign.contents(['orders'])).to.deep.equal(before)
    const done = await send({ total: 20 })
    expect(done.status, done.text).to.equal(200)
    const { changed: _at, ...after } = await stored()
    const { amounts, ...rest } = ORDER
    expect(after).to.deep.include({ count: new Long(9), internal: 'never shown' })
    expect(after['amounts']).to.deep.equal({ ...amounts, total: new Double(20) })
    expect(Object.keys(after)).to.have.members(['amounts', ...Object.keys(rest)])
    await foreign.db
      .collection('orders')
      .updateOne({ _id: ORDER['_id'] }, { $set: { state: 'paid' } })
    expect((await send({ total: 21 })).status).to.equal(403)
    expect((await server.send('DELETE', ENTRY, { token: null })).status).to.equal(403)
    await server.send('PUT', '/admin/roles/public', { body: { permissions: [], rules: [] } })
  })

  it('creates once for an idempotency key', async () => {
    const headers = { 'idempotency-key': 'order-1' }
    const body = { data: { number: 'once' } }
    const ids: string[] = []
    for (let time = 0; time < 2; time += 1) {
      const made = await server.send('POST', '/api/orders', { body, headers })
      expect(made.status, made.text).to.equal(201)
      ids.push(made.body.data.documentId)
    }
    expect(new Set(ids).size).to.equal(1)
    expect(await foreign.db.collection('orders').countDocuments({ number: 'once' })).to.equal(1)
  })

  it('loses no change that another service makes during a hook', async () => {
    const tag = String((await server.get(ENTRY)).headers['etag'])
    const orders = foreign.db.collection('orders')
    const _id = ORDER['_id'] as ObjectId
    meanwhile = async () => {
      await orders.updateOne({ _id }, { $set: { internal: 'changed' } })
    }
    const kept = await put({ number: 'R-1' }, { 'if-match': tag })
    expect(kept.status, kept.text).to.equal(200)
    expect(await stored()).to.include({ number: 'R-1', internal: 'changed' })
    meanwhile = async () => {
      await orders.updateOne({ _id }, { $set: { number: 'foreign' } })
    }
    const refused = await put({ number: 'R-2' }, { 'if-match': String(kept.headers['etag']) })
    meanwhile = null
    expect(refused.status, refused.text).to.equal(412)
    expect(await stored()).to.include({ number: 'foreign' })
  })

  it('logs each change once', async () => {
    const rows = foreign.db.collection('quire_commits')
    const type = 'api::order.order'
    const items = async (): Promise<readonly Json[]> => {
      const found = await rows.find({ 'items.type': type }).sort({ _id: 1 }).toArray()
      const all = found.flatMap(({ items: some, by }) =>
        (some as Json[]).map((item) => ({ ...item, by })),
      )
      return all.filter((item) => item.type === type)
    }
    const settle = async (): Promise<void> => {
      const made = new UUID()
      const devices = foreign.db.collection<{ _id: UUID }>('devices')
      await devices.insertOne({ _id: made })
      const ofDevice = { 'items.documentId': made.toString() }
      await until(async () => (await rows.findOne(ofDevice)) !== null, WAIT_MS)
    }
    await settle()
    const before = (await items()).length
    await put({ number: 'L-1' })
    await put({ number: 'L-1' })
    const made = await server.post('/api/orders', { number: 'L-2' })
    await server.delete(`/api/orders/${made.body.data.documentId}`)
    await foreign.db
      .collection('orders')
      .updateOne({ _id: ORDER['_id'] }, { $set: { number: 'L-3' } })
    await settle()
    const own = (await items()).slice(before)
    expect(own.map(({ op, isNew, by }) => [op, isNew === true, by.kind])).to.deep.equal([
      ['put', false, own[0]?.by.kind],
      ['put', true, own[0]?.by.kind],
      ['delete', false, own[0]?.by.kind],
      ['put', false, 'system'],
    ])
    expect(own[0]?.by.kind).not.to.equal('system')
  })

  it('keeps a history with contents', async () => {
    await put({ number: 'H-1' })
    await put({ number: 'H-2' })
    const path = `/admin/history/api::order.order/${FIRST}`
    const list = await server.get(path)
    expect(list.status, list.text).to.equal(200)
    const [newest, older] = list.body.data
    const past = await server.get(`${path}/${older.revision}`)
    expect(past.status, past.text).to.equal(200)
    expect(past.body.data.content).to.include({ number: 'H-1' })
    const restored = await server.send('POST', `${path}/${older.revision}/restore`, { body: {} })
    expect(restored.status, restored.text).to.equal(200)
    expect(await stored()).to.include({ number: 'H-1', internal: 'never shown' })
    expect(newest.revision).not.to.equal(older.revision)
  })

  it('describes the doors that there are', async () => {
    const { paths, components } = (await server.get('/api/openapi.json', { token: ROOT_TOKEN }))
      .body
    expect(Object.keys(paths['/api/orders'])).to.have.members(['get', 'post'])
    expect(Object.keys(paths['/api/orders/{documentId}'])).to.have.members(['get', 'put', 'delete'])
    expect(Object.keys(paths['/api/countries'])).to.deep.equal(['get'])
    expect(Object.keys(components.schemas)).to.include('Order_Input')
    expect(components.schemas.Order_Create.required).to.deep.equal(['number'])
    const { status, text } = await server.post('/api/orders', { total: 1 })
    expect(status, text).to.equal(400)
  })
})
