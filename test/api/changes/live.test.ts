import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { until } from '../../support/until.ts'
import { type EventStream, openEventStream } from '../../support/event-stream.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const TAG = ['api::tag.tag.find', 'api::tag.tag.sync'] as const

describe('GET /api/_live', () => {
  let server: TestServer
  let client: MongoClient
  const opened: EventStream[] = []

  before(async () => {
    server = await serve('live', {
      contentTypes: {
        article: declare(
          'article',
          { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
          { draftAndPublish: true, localized: true },
        ),
        tag: declare('tag', {
          name: { type: 'string' },
          secret: { type: 'string', private: true },
        }),
      },
      environment: { MAX_LIVE: '12', MAX_LIVE_PER_ADDRESS: '12', RATE_LIMIT: 'off' },
      locales: ['fr'],
      permitted: TAG,
    })
    client = await MongoClient.connect(server.uri)
  })
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  async function open(
    query: string,
    { token = ROOT_TOKEN, headers = {} }: { token?: string | null; headers?: object } = {},
  ): Promise<EventStream> {
    const stream = await openEventStream(server.port, `/api/_live?${query}`, {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    })
    opened.push(stream)
    return stream
  }

  /** Opens a stream and waits for its first position. */
  async function listen(...args: Parameters<typeof open>): Promise<EventStream> {
    const stream = await open(...args)
    expect(stream.status, JSON.stringify(stream.body)).to.equal(200)
    await until(() => Promise.resolve(stream.lastId() !== ''), 5_000)
    return stream
  }

  const came = (stream: EventStream, count: number): Promise<void> =>
    until(() => Promise.resolve(stream.events.length >= count), 10_000)

  async function create(path: string, data: object): Promise<string> {
    const { status, body, text } = await server.post(path, data)
    expect(status, text).to.equal(201)
    return body.data.documentId
  }

  const settled = (): Promise<void> => server.settled()

  it('sends each change in its scope immediately, without content', async () => {
    const stream = await listen('types=article,tag&locale=*')
    expect(stream.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    const tag = await create('/api/tags', { name: 'one', secret: 'nobody sees this' })
    await came(stream, 1)
    const article = await create('/api/articles', { title: 'a' })
    await came(stream, 2)
    await server.put(`/api/articles/${article}?locale=fr`, { title: 'b' })
    await came(stream, 3)
    await server.send('POST', `/api/articles/${article}/actions/unpublish`)
    await came(stream, 4)
    await server.delete(`/api/tags/${tag}`)
    await came(stream, 5)
    expect(
      stream.events.map(({ event, data }) => [event, { ...data, revision: null }]),
    ).to.deep.equal([
      ['message', { type: 'tag', documentId: tag, locale: null, op: 'put', revision: null }],
      [
        'message',
        { type: 'article', documentId: article, locale: 'en', op: 'put', revision: null },
      ],
      [
        'message',
        { type: 'article', documentId: article, locale: 'fr', op: 'put', revision: null },
      ],
      [
        'message',
        { type: 'article', documentId: article, locale: 'en', op: 'delete', revision: null },
      ],
      ['message', { type: 'tag', documentId: tag, locale: null, op: 'delete', revision: null }],
    ])
    const revision = stream.events[0]?.data.revision
    expect(revision).to.be.a('string')
    expect(Object.keys(stream.events[0]?.data)).to.have.members([
      'type',
      'documentId',
      'locale',
      'op',
      'revision',
    ])
  })

  it('sends no changes of other types, locales and drafts', async () => {
    const stream = await listen('types=article&locale=fr')
    await create('/api/tags', { name: 'other type' })
    await create('/api/articles', { title: 'other locale' })
    await create('/api/articles?status=draft&locale=fr', { title: 'a draft' })
    const told = await create('/api/articles?locale=fr', { title: 'told' })
    await came(stream, 1)
    expect(stream.events.map(({ data }) => data.documentId)).to.deep.equal([told])
    const drafts = await listen('types=article&status=draft')
    const draft = await create('/api/articles?status=draft', { title: 'a draft' })
    await came(drafts, 1)
    expect(drafts.events[0]?.data.documentId).to.equal(draft)
  })

  it('resumes after a disconnect, with event ids that are tokens of _sync', async () => {
    const first = await listen('types=tag')
    await create('/api/tags', { name: 'one' })
    await came(first, 1)
    const id = first.lastId()
    first.close()
    const missed = [
      await create('/api/tags', { name: 'two' }),
      await create('/api/tags', { name: 'three' }),
    ]
    await settled()
    const again = await listen('types=tag', { headers: { 'last-event-id': id } })
    await came(again, 2)
    const next = await create('/api/tags', { name: 'four' })
    await came(again, 3)
    expect(again.events.map(({ data }) => data.documentId)).to.deep.equal([...missed, next])
    const { body } = await server.get(`/api/_sync?token=${id}`)
    expect(body.items.map(({ data }: Json) => data.name)).to.deep.equal(['two', 'three', 'four'])
    const synced = await listen(`token=${body.next}`)
    const last = await create('/api/tags', { name: 'five' })
    await came(synced, 1)
    expect(synced.events[0]?.data.documentId).to.equal(last)
  })

  it('sends a reset and ends when a permission is revoked', async () => {
    const made = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'app', type: 'custom', permissions: TAG },
    })
    const { id, accessKey: token } = made.body.data
    const stream = await listen('types=tag', { token })
    await create('/api/tags', { name: 'seen' })
    await came(stream, 1)
    await server.send('PUT', `/admin/api-tokens/${id}`, { body: { permissions: [] } })
    await create('/api/tags', { name: 'not for them' })
    await until(() => Promise.resolve(stream.isEnded()), 10_000)
    expect(stream.events.slice(1).map(({ event, data }) => [event, data])).to.deep.equal([
      ['reset', { type: 'tag', reason: 'permission' }],
      ['end', { reason: 'permission' }],
    ])
    expect((await open('types=tag', { token })).status).to.equal(403)
    const after = { headers: { 'last-event-id': stream.lastId() }, token }
    expect((await open('types=tag', after)).status).to.equal(403)
  })

  it('ends when the credential becomes invalid', async () => {
    const made = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'gone', type: 'read-only' },
    })
    const { id, accessKey: token } = made.body.data
    const stream = await listen('types=tag', { token })
    await server.send('DELETE', `/admin/api-tokens/${id}`)
    await until(() => Promise.resolve(stream.isEnded()), 10_000)
    expect(stream.events.map(({ event, data }) => [event, data])).to.deep.equal([
      ['end', { reason: 'credentials' }],
    ])
  })

  it('sends a reset when a locale is removed', async () => {
    await server.send('POST', '/admin/locales', { body: { code: 'de' } })
    const stream = await listen('types=article&locale=*')
    await server.send('DELETE', '/admin/locales/de')
    await came(stream, 1)
    expect(stream.events[0]).to.deep.include({
      event: 'reset',
      data: { type: 'article', reason: 'locale', locale: 'de' },
    })
  })

  it('sends a reset to a client with an outdated log', async () => {
    const { body } = await server.get('/api/_sync?types=tag')
    const heads = client.db(server.database).collection<{ readonly _id: string }>('quire_heads')
    const { log } = (await heads.findOne({ _id: 'main' })) as Json
    const set = (changes: object) =>
      heads.updateOne({ _id: 'main' }, { $set: changes, $inc: { version: 1 } })
    const running = await listen('types=tag')
    await set({ log: 'another' })
    const stream = await listen(`token=${body.next}`)
    await came(stream, 1)
    await came(running, 1)
    for (const one of [stream, running]) {
      expect(one.events[0]).to.deep.include({ event: 'reset', data: { reason: 'log' } })
    }
    const again = await server.get(`/api/_sync?token=${stream.lastId()}`)
    expect(again.body.items.length, 'all there is').to.be.above(0)
    await set({ log })
    await came(running, 2)
    await came(stream, 2)
    const next = await create('/api/tags', { name: 'goes on' })
    await came(running, 3)
    expect(running.events[2]?.data.documentId).to.equal(next)
  })

  it('limits the number of open streams', async () => {
    const streams: EventStream[] = []
    await until(async () => {
      streams.push(await open('types=tag'))
      return streams.at(-1)?.status !== 200
    }, 10_000)
    const last = streams.at(-1)
    expect([last?.status, last?.body.error.name]).to.deep.equal([503, 'ServiceUnavailableError'])
    expect(last?.headers['retry-after']).to.equal('1')
    expect(streams).to.have.lengthOf(13)
    streams[0]?.close()
    await until(async () => (await open('types=tag')).status === 200, 5_000)
  })

  it('is open to the public role with permission to sync, and to other origins', async () => {
    const stream = await listen('types=tag', {
      token: null,
      headers: { origin: 'https://app.example.org' },
    })
    expect(stream.headers['access-control-allow-origin']).to.equal('https://app.example.org')
    expect(stream.headers.vary).to.contain('Authorization')
    expect((await open('types=article', { token: null })).status).to.equal(403)
    const head = await server.send('HEAD', '/api/_live?types=tag')
    expect([head.status, head.text]).to.deep.equal([200, ''])
  })

  const refused: readonly (readonly [string, string, object?])[] = [
    ['an empty query', ''],
    ['an unknown type', 'types=nope'],
    ['users', 'types=user'],
    ['an unknown parameter', 'types=tag&sort=name'],
    ['a filter, which only _sync accepts', 'types=tag&filters[tag][name][$eq]=a'],
    ['a limit', 'types=tag&limit=1'],
    ['the wait parameter', 'types=tag&wait=1'],
    ['an unknown locale', 'types=article&locale=xx'],
    ['an unknown status', 'types=article&status=modified'],
    ['an invalid token', 'token=abc'],
    ['two tokens', 'token=a&token=b'],
    ['a token and a scope', 'token=abc&types=tag'],
    ['an invalid event id', 'types=tag', { 'last-event-id': 'abc' }],
    ['an event id with an operator', 'types=tag', { 'last-event-id': 'eyIkZ3QiOiIifQ' }],
  ]
  for (const [label, query, headers = {}] of refused) {
    it(`refuses ${label}`, async () => {
      const { status, body } = await open(query, { headers })
      expect([status, body?.error?.name]).to.deep.equal([400, 'ValidationError'])
    })
  }

  it('refuses the event id of a stream with another scope', async () => {
    const stream = await listen('types=tag')
    const headers = { 'last-event-id': stream.lastId() }
    expect((await open('types=tag,article', { headers })).status).to.equal(400)
    expect((await open('types=tag', { headers })).status).to.equal(200)
  })

  it('sends the same events to all streams of one scope', async () => {
    for (const stream of opened.splice(0)) stream.close()
    const streams = [
      await listen('types=tag'),
      await listen('types=tag'),
      await listen('types=tag'),
    ]
    const tag = await create('/api/tags', { name: 'one' })
    for (const stream of streams) await came(stream, 1)
    expect(new Set(streams.map((one) => one.events[0]?.data.documentId))).to.deep.equal(
      new Set([tag]),
    )
    expect(new Set(streams.map((one) => one.lastId())).size).to.equal(1)
  })
})

describe('GET /api/_live during a shutdown', () => {
  it('ends the streams and the waiting requests of _sync', async () => {
    const server = await serve('live_stop', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
      permitted: TAG,
    })
    try {
      const stream = await openEventStream(server.port, '/api/_live?types=tag')
      await until(() => Promise.resolve(stream.lastId() !== ''), 5_000)
      const { body } = await server.get('/api/_sync?types=tag')
      const waiting = server.get(`/api/_sync?token=${body.next}&wait=25`)
      await server.get('/api/tags') // the request is waiting now
      const elapsedMs = startOwnClock()
      server.leave()
      const answered = await waiting
      await until(() => Promise.resolve(stream.isEnded()), 5_000)
      expect(elapsedMs()).to.be.below(5_000)
      expect(answered.body).to.deep.include({ items: [], next: body.next, more: false })
      expect(answered.headers.connection).to.equal('close')
      expect(stream.events.map(({ event, data }) => [event, data])).to.deep.equal([
        ['end', { reason: 'shutdown' }],
      ])
      expect(stream.retry()).to.be.within(500, 5_000)
      expect((await openEventStream(server.port, '/api/_live?types=tag')).status).to.equal(503)
    } finally {
      await server.close()
    }
  })
})
