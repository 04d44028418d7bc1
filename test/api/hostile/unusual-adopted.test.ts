import { inspect } from 'node:util'
import { expect } from 'chai'
import {
  BSON,
  Code,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'

const FIRST = '65b000000000000000000001'
const DEVICE = '0b6ad6b4-2b57-4f0b-9a57-0123456789ab'
const name = { name: { type: 'string' } }

const CONTENT_TYPES = {
  thing: {
    info: { singularName: 'thing' },
    options: { history: true },
    adopt: {
      collection: 'things',
      write: true,
      paths: { shadow: 'constructor.name', updatedAt: 'log.changed' },
    },
    attributes: {
      ...name,
      shadow: { type: 'string' },
      data: { type: 'json' },
      lines: { type: 'component', component: 'shop.line', repeatable: true },
    },
  },
  counted: {
    info: { singularName: 'counted', pluralName: 'counteds' },
    adopt: { collection: 'counted', write: true, version: 'meta.rev' },
    attributes: name,
  },
  device: {
    info: { singularName: 'device' },
    adopt: { collection: 'devices', write: true },
    attributes: name,
  },
  number: {
    info: { singularName: 'number' },
    adopt: { collection: 'numbers', write: true },
    attributes: name,
  },
  'components/shop/line': {
    attributes: { sku: { type: 'string' }, extra: { type: 'json' } },
  },
}

describe('unusual values of adopted collections', () => {
  let foreign: ForeignDatabase
  let server: TestServer
  let isServed = false

  before(async function () {
    foreign = await openForeignDatabase('adoptunusual', {
      things: [{ _id: new ObjectId(FIRST) }],
      counted: [{ _id: new ObjectId(FIRST) }],
      devices: [{ _id: new UUID(DEVICE) }],
      numbers: [{ _id: 7 as never }],
    })
    if (!(await hasStreams(foreign))) return this.skip()
    server = await serve('adoptunusual', {
      contentTypes: CONTENT_TYPES,
      environment: { MONGODB_DATABASE: foreign.name, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
    })
    isServed = true
  })

  after(async () => {
    if (isServed) await server.close()
    await foreign.drop()
  })

  async function hold(members: Document, collection = 'things'): Promise<void> {
    const _id = new ObjectId(FIRST)
    await foreign.db.collection(collection).deleteMany({})
    await foreign.db.collection(collection).insertOne({ _id, ...members })
  }

  async function held(collection = 'things'): Promise<Document> {
    const options = { promoteValues: false, promoteLongs: false } as const
    const found = await foreign.db
      .collection(collection)
      .findOne({ _id: new ObjectId(FIRST) }, options)
    if (found === null) throw new Error('there is no such document')
    return found
  }

  const path = `/api/things/${FIRST}`

  async function put(data: object): Promise<Json> {
    const answer = await server.put(path, data)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }

  function bulk(lines: readonly object[], query = ''): Promise<Answer> {
    return server.send('POST', `/api/_bulk${query}`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
  }

  describe('in a batch', () => {
    const upsert = (type: string, documentId: string) => ({
      op: 'upsert',
      type,
      documentId,
      data: { name: 'x' },
    })
    const MALFORMED = [
      upsert('thing', 'z'.repeat(24)),
      upsert('thing', FIRST.toUpperCase()),
      upsert('thing', 'none'),
      upsert('device', DEVICE.toUpperCase()),
      upsert('device', 'not-a-uuid'),
      upsert('number', '7.0'),
      upsert('number', 'x'),
    ]

    it('refuses a malformed documentId and stores the other lines', async () => {
      await hold({})
      const fresh = new ObjectId().toHexString()
      const lines = [
        upsert('thing', fresh),
        ...MALFORMED,
        { ...upsert('thing', 'none'), op: 'delete', data: undefined },
        upsert('number', '7'),
      ]
      const { status, text } = await bulk(lines)
      expect(status, text).to.equal(200)
      const answers = text
        .trim()
        .split('\n')
        .map((line): Json => JSON.parse(line))
      expect(
        answers.map(({ result, error }) => result ?? error?.status),
        text,
      ).to.deep.equal(['created', ...MALFORMED.map(() => 400), 400, 'updated'])
    })

    it('refuses an atomic batch with a malformed documentId', async () => {
      for (const line of MALFORMED) {
        const { status, text } = await bulk([line], '?atomic=true')
        expect(status, text).to.equal(400)
      }
    })
  })

  it('takes members with names of the driver as data', async () => {
    const data = { _bsontype: 'Nope', deep: [{ _bsontype: 'ObjectId', id: 'x' }], x: 1 }
    await hold({ lines: [{ sku: 'a', kept: 1 }] })
    for (const sent of [data, { ...data, x: 2 }, { ...data, y: 1 }, 1, data]) {
      expect((await put({ data: sent })).data).to.deep.equal(sent)
    }
    expect((await put({ name: 'other' })).data).to.deep.equal(data)
    const lines = [{ id: 1, sku: 'b', extra: data }]
    await put({ lines })
    await put({ lines: [{ sku: 'new' }, { id: 1, extra: { ...data, x: 3 } }] })
    expect((await held())['lines'][1])
      .to.include({ sku: 'b' })
      .and.have.property('kept')
    const line = { op: 'upsert', type: 'thing', documentId: FIRST }
    const fresh = { ...line, documentId: new ObjectId().toHexString() }
    for (const each of [line, fresh]) {
      for (const x of [4, 5]) {
        const { status, text } = await bulk([{ ...each, data: { data: { ...data, x } } }])
        expect(status, text).to.equal(200)
        expect(text).to.match(/"result":"(?:created|updated)"/)
      }
    }
    expect((await server.get(path)).body.data.data).to.deep.equal({ ...data, x: 5 })
  })

  it('shows references of the driver as they were sent', async () => {
    await hold({})
    const data = { $ref: 'x', $id: 1, $db: 'y' }
    expect((await put({ data })).data).to.deep.equal(data)
    expect((await put({ data: [data, { ...data, more: 1 }] })).data).to.deep.equal([
      data,
      { ...data, more: 1 },
    ])
    await hold({ data: { by: new DBRef('users', new ObjectId(FIRST)) } })
    expect((await put({ data: { by: { $ref: 'users', $id: FIRST }, n: 1 } })).data).to.deep.equal({
      by: { $ref: 'users', $id: FIRST },
      n: 1,
    })
    const raw = BSON.serialize(await held())
    expect(BSON.deserialize(raw)['data'].by.oid).to.deep.equal(new ObjectId(FIRST))
  })

  it('shows all types of BSON in JSON, and keeps them', async () => {
    const values = {
      least: new MinKey(),
      most: new MaxKey(),
      at: new Timestamp(7n),
      code: new Code('f()'),
    }
    await hold({ data: values })
    const shown = { least: 'MinKey', most: 'MaxKey', at: '7', code: 'f()' }
    expect((await server.get(path)).body.data.data).to.deep.equal(shown)
    await put({ data: { ...shown, n: 1 } })
    expect((await held())['data']).to.deep.equal({ ...values, n: new Int32(1) })
  })

  it('reads patterns that are none of JavaScript', async () => {
    await hold({ data: new BSON.BSONRegExp('(?i)a', 'x') })
    expect((await server.get(path)).body.data.data).to.equal('/(?i)a/x')
  })

  it('sees only own members on a path', async () => {
    await hold({})
    expect((await put({ shadow: 'x' })).shadow).to.equal('x')
    await hold({ constructor: null })
    expect((await put({ shadow: 'x' })).shadow).to.equal('x')
    expect((await held())['constructor']).to.deep.equal({ name: 'x' })
  })

  it('leaves out a time that has no place', async () => {
    for (const log of ['text', [], new Int32(1)]) {
      await hold({ log })
      expect(await put({ name: 'x' })).to.include({ name: 'x', updatedAt: null })
      expect((await held())['log']).to.deep.equal(log)
    }
    await hold({ log: null })
    expect((await put({ name: 'x' })).updatedAt).to.be.a('string')
  })

  describe('with a version', () => {
    const counted = `/api/counteds/${FIRST}`
    const send = (text: string, tag: string): Promise<Answer> =>
      server.send('PUT', counted, {
        body: { data: { name: text } },
        headers: { 'if-match': tag },
      })
    const tagOf = ({ headers }: Answer): string => String(headers['etag'])

    /** Returns the stored metadata after two writes, of which the second one has a stale tag. */
    async function writeTwice(meta: unknown): Promise<unknown> {
      await hold({ name: 'a', meta }, 'counted')
      const stale = tagOf(await server.get(counted))
      expect(tagOf(await server.get(counted))).to.equal(stale)
      const written = await send('b', stale)
      expect(written.status, written.text).to.equal(200)
      expect((await send('c', stale)).status, inspect(meta)).to.equal(412)
      expect(await held('counted')).to.include({ name: 'b' })
      const after = (await held('counted'))['meta'] as unknown
      const again = await send('d', tagOf(written))
      expect(again.status, again.text).to.equal(200)
      return after
    }

    it('increments integers', async () => {
      const big = Long.fromString('9007199254740993')
      for (const [rev, next] of [
        [new Int32(0), new Int32(1)],
        [new Int32(2 ** 31 - 1), new Long(2 ** 31)],
        [new Long(5), new Long(6)],
        [big, big.add(1)],
        [new Double(2), new Double(3)],
        [null, new Int32(1)],
      ]) {
        expect(await writeTwice({ rev, kept: 'x' })).to.deep.equal({ rev: next, kept: 'x' })
      }
      for (const meta of [{}, null]) {
        expect(await writeTwice(meta)).to.deep.equal({ rev: new Int32(1) })
      }
    })

    it('keeps other values, and compares a digest', async () => {
      for (const rev of [
        new Double(2.5),
        new Double(2 ** 53),
        new Double(Number.NaN),
        new Double(Infinity),
        new Int32(-1),
        Long.MAX_VALUE,
        Decimal128.fromString('3'),
        new Timestamp(7n),
        'text',
        true,
        [new Int32(1)],
      ]) {
        const meta = { rev, kept: 'x' }
        expect(await writeTwice(meta)).to.deep.equal(meta)
      }
      const unknown = new Map([['_bsontype', 'Nope']])
      expect(await writeTwice({ rev: unknown })).to.deep.equal({ rev: { _bsontype: 'Nope' } })
      for (const meta of ['text', [], [{ rev: new Int32(1) }]]) {
        expect(await writeTwice(meta)).to.deep.equal(meta)
      }
    })
  })

  it('says that a type has no drafts', async () => {
    const call = { name: 'publish', arguments: { type: 'thing', documentId: FIRST } }
    const { text } = await server.send('POST', '/mcp', {
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    })
    expect(text).to.include('thing has no drafts')
  })
})
