import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { singleDocumentId } from '../../../src/content/write/single-document-id.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type EventStream, openEventStream } from '../../support/event-stream.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', ...LOCALIZED },
      secret: { type: 'string', private: true },
      sections: { type: 'dynamiczone', components: ['shared.quote', 'shared.seo'] },
      seo: { type: 'component', component: 'shared.seo' },
      quotes: { type: 'component', component: 'shared.quote', repeatable: true },
    },
    { draftAndPublish: true, localized: true },
  ),
  homepage: {
    kind: 'singleType',
    info: { singularName: 'homepage' },
    attributes: { title: { type: 'string' } },
  },
  'components/shared/quote': { attributes: { by: { type: 'string' } } },
  'components/shared/seo': {
    attributes: {
      heading: { type: 'string' },
      quotes: { type: 'component', component: 'shared.quote', repeatable: true },
    },
  },
}
const UID = 'api::article.article'
const READING = [`${UID}.find`, `${UID}.findOne`, `${UID}.readDrafts`]

interface Watching {
  readonly stream: EventStream
  /** The names of the others and their fields, by the last event. */
  seen(): Readonly<Record<string, string | null>> | null
  tab(): string
  see(expected: Readonly<Record<string, string | null>>): Promise<void>
}

describe('the presence of editors', function () {
  this.timeout(60_000)
  let one: TestServer
  let other: TestServer
  let ada: AdminClient
  let bea: AdminClient
  let documentId: string
  const opened: EventStream[] = []

  before(async () => {
    const environment = { RATE_LIMIT: 'off' }
    one = await serve('presence', { contentTypes: CONTENT_TYPES, environment, locales: ['fr'] })
    const shared = { ...environment, MONGODB_DATABASE: one.database }
    other = await serve('presence', { contentTypes: CONTENT_TYPES, environment: shared })
    for (const name of ['Ada', 'Bea', 'Cleo']) await addAdministrator(one, name, ['editor'])
    await addRole(one, 'published', [`${UID}.find`, `${UID}.findOne`])
    await addAdministrator(one, 'Pia', ['published'])
    await addRole(one, 'titles', [])
    const rules = READING.map((action) => ({ action, where: {}, fields: ['title'] }))
    const path = '/admin/administrator-roles/titles'
    const made = await one.send('PUT', path, { body: { permissions: [], rules } })
    expect(made.status, made.text).to.equal(200)
    await addAdministrator(one, 'Tim', ['titles'])
    ada = await signIn(one, 'ada@example.org')
    bea = await signIn(other, 'bea@example.org')
  })
  beforeEach(async () => {
    const answer = await one.post('/api/articles?status=draft', { title: 'One' })
    expect(answer.status, answer.text).to.equal(201)
    documentId = answer.body.data.documentId
  })
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })
  after(async () => {
    await other.close()
    await one.close()
  })

  const open = async (
    server: TestServer,
    { cookie }: Pick<AdminClient, 'cookie'>,
    query = `uid=${UID}&documentId=${documentId}`,
  ): Promise<EventStream> => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const stream = await openEventStream(server.port, `/admin/presence?${query}`, headers)
    opened.push(stream)
    return stream
  }

  const watch = async (...args: Parameters<typeof open>): Promise<Watching> => {
    const stream = await open(...args)
    expect(stream.status, JSON.stringify(stream.body)).to.equal(200)
    const last = (): Json => stream.events.findLast(({ event }) => event === 'message')?.data
    const seen: Watching['seen'] = () => {
      const others: readonly Json[] | undefined = last()?.others
      return others === undefined
        ? null
        : Object.fromEntries(others.map(({ name, field }) => [name, field]))
    }
    await until(() => Promise.resolve(seen() !== null), 20_000)
    return {
      stream,
      seen,
      tab: () => last().tab,
      see: (expected) =>
        until(() => Promise.resolve(JSON.stringify(seen()) === JSON.stringify(expected)), 20_000),
    }
  }

  const note = (client: AdminClient, more: object = {}) =>
    client.send('PUT', '/admin/presence', { uid: UID, documentId, ...more })

  it('streams the others on two servers, with their fields, until they leave', async () => {
    const first = await watch(one, ada)
    expect(first.seen()).to.deep.equal({})
    expect(first.stream.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-store, no-transform',
    })
    const second = await watch(other, bea)
    expect(second.seen()).to.deep.equal({ Ada: null })
    await first.see({ Bea: null })
    const answer = await note(bea, { field: 'title', tab: second.tab() })
    expect([answer.status, answer.body.data[0].name]).to.deep.equal([200, 'Ada'])
    await first.see({ Bea: 'title' })
    await note(bea, { field: 'sections.0.heading', tab: second.tab() })
    await first.see({ Bea: 'sections.0.heading' })
    await note(ada, { field: 'seo', tab: first.tab() })
    await second.see({ Ada: 'seo' })
    second.stream.close()
    await first.see({})
    expect(first.stream.isEnded()).to.equal(false)
  })

  it('shows a person with two tabs once, in the field of the last report', async () => {
    const cleo = await watch(one, await signIn(one, 'cleo@example.org'))
    const [here, there] = [await watch(one, ada), await watch(other, ada)]
    await cleo.see({ Ada: null })
    await note(ada, { field: 'title', tab: here.tab() })
    await cleo.see({ Ada: 'title' })
    await note(ada, { field: 'seo.heading', tab: there.tab() })
    await cleo.see({ Ada: 'seo.heading' })
    there.stream.close()
    await cleo.see({ Ada: 'title' })
    here.stream.close()
    await cleo.see({})
  })

  it('hides entries in other locales, and other entries', async () => {
    const english = await watch(one, ada)
    await watch(other, bea, `uid=${UID}&documentId=${documentId}&locale=fr`)
    const cleo = await signIn(one, 'cleo@example.org')
    await watch(one, cleo)
    await english.see({ Cleo: null })
  })

  it('reads all watched entries by one query', async () => {
    const looks: number[] = []
    one.onCommand(({ name, command }) => {
      if (name !== 'find' || command['find'] !== 'quire_admin_presence') return
      const { entry } = command['filter'] as Json
      looks.push(entry.$in.length)
    })
    for (let turn = 0; turn < 5; turn += 1) {
      const answer = await one.post('/api/articles?status=draft', { title: 'One' })
      await watch(one, ada, `uid=${UID}&documentId=${answer.body.data.documentId}`)
    }
    const from = looks.length
    await until(() => Promise.resolve(looks.length >= from + 3), 20_000)
    expect(looks.slice(from).every((entries) => entries === 5)).to.equal(true)
  })

  it('responds with 400 to unknown fields and malformed input', async () => {
    const fine = ['title', 'secret', 'seo', 'seo.heading', 'seo.quotes.3.by', 'quotes.0.by']
    const zones = ['sections', 'sections.12', 'sections.0.by', 'sections.0.quotes.1']
    for (const field of [...fine, ...zones, null]) {
      const { status, text } = await note(ada, { field })
      expect([field, status], text).to.deep.equal([field, 200])
    }
    const names = ['', 'nope', 'title.x', 'seo.0.heading', 'quotes.by', 'sections.by', 'Title']
    const strange = ['__proto__', 'constructor', 'seo.__proto__', '$where', 'title\u0000', '.']
    const long = ['sections.999999.by', `seo${'.quotes.0'.repeat(20)}`, 'x'.repeat(256)]
    for (const field of [...names, ...strange, ...long, 1, {}, ['title'], { $ne: null }]) {
      const { status, body } = await note(ada, { field })
      expect([field, status], JSON.stringify(body)).to.deep.equal([field, 400])
      expect(body.error.details.errors[0].path, JSON.stringify(body)).to.deep.equal(['field'])
    }
    for (const wrong of [{ tab: 'x' }, { tab: {} }, { stream: 1 }]) {
      expect((await note(ada, wrong)).status).to.equal(400)
    }
    const queries = [
      '',
      `uid=${UID}`,
      `uid=${UID}&documentId=x`,
      `uid[a]=b&documentId=${documentId}`,
    ]
    for (const query of [...queries, `uid=${UID}&documentId=${documentId}&field=title`]) {
      expect((await open(one, ada, query)).status, query).to.equal(400)
    }
    const unknown = `uid=plugin::users-permissions.user&documentId=${documentId}`
    expect((await open(one, ada, unknown)).status).to.equal(404)
    const elsewhere = `uid=${UID}&documentId=${documentId}&locale=xx`
    expect((await open(one, ada, elsewhere)).status).to.equal(404)
  })

  it('is closed without a session, across sites and without the right to read drafts', async () => {
    expect((await open(one, { cookie: '' })).status).to.equal(401)
    const path = `/admin/presence?uid=${UID}&documentId=${documentId}`
    const headers = { cookie: ada.cookie, 'sec-fetch-site': 'cross-site' }
    expect((await openEventStream(one.port, path, headers)).status).to.equal(403)
    const pia = await signIn(one, 'pia@example.org')
    expect((await open(one, pia)).status).to.equal(403)
    expect((await note(pia)).status).to.equal(403)
  })

  it('hides fields that rules hide', async () => {
    const tim = await signIn(one, 'tim@example.org')
    const watching = await watch(one, tim)
    await note(ada, { field: 'title' })
    await watching.see({ Ada: 'title' })
    await note(ada, { field: 'secret' })
    await watching.see({ Ada: null })
    expect((await note(tim, { field: 'secret' })).status).to.equal(400)
    expect((await note(tim, { field: 'title' })).status).to.equal(200)
  })

  it('ends a stream whose session ended or lost its right, before it sends more', async () => {
    await addRole(one, 'passing', READING)
    const { id } = await addAdministrator(one, 'Vera', ['passing'])
    const vera = await signIn(one, 'vera@example.org')
    const watching = await watch(one, vera)
    const put = await one.send('PUT', `/admin/administrators/${id}`, {
      body: { roles: ['published'] },
    })
    expect(put.status, put.text).to.equal(200)
    await watch(other, bea)
    await until(() => Promise.resolve(watching.stream.isEnded()), 20_000)
    expect(watching.stream.events.at(-1)).to.deep.include({ event: 'end' })
    expect(watching.stream.events.at(-1)?.data).to.deep.equal({ reason: 'permission' })
    expect(watching.seen()).to.deep.equal({})
    expect((await open(one, vera)).status).to.equal(403)
    const cleo = await signIn(one, 'cleo@example.org')
    const ending = await watch(one, cleo)
    await cleo.send('DELETE', '/admin/session')
    await note(ada, { field: 'title' })
    await until(() => Promise.resolve(ending.stream.isEnded()), 20_000)
    expect(ending.stream.events.at(-1)?.data).to.deep.equal({ reason: 'credentials' })
    expect(ending.seen()).to.deep.equal({ Bea: null })
  })

  it('responds with 404 to missing entries, and ends the streams of a deleted one', async () => {
    const missing = `uid=${UID}&documentId=${'m'.repeat(24)}`
    expect((await open(one, ada, missing)).status).to.equal(404)
    expect((await note(ada, { documentId: 'm'.repeat(24) })).status).to.equal(404)
    const begun = await watch(one, ada, `uid=${UID}&documentId=${documentId}&locale=fr`)
    expect(begun.seen()).to.deep.equal({})
    const watching = await watch(one, ada)
    const deleted = await one.delete(`/api/articles/${documentId}`)
    expect(deleted.status, deleted.text).to.equal(204)
    expect((await note(bea)).status).to.equal(404)
    await until(() => Promise.resolve(watching.stream.isEnded()), 30_000) // a heartbeat is 15 s
    expect(watching.stream.events.at(-1)?.data).to.deep.equal({ reason: 'permission' })
  })

  it('streams the others of a single type without a stored version', async () => {
    const uid = 'api::homepage.homepage'
    const single = singleDocumentId(uid)
    const query = `uid=${uid}&documentId=${single}`
    const first = await watch(one, ada, query)
    expect(first.seen()).to.deep.equal({})
    const second = await watch(other, bea, query)
    expect(second.seen()).to.deep.equal({ Ada: null })
    await first.see({ Bea: null })
    const answer = await note(bea, { uid, documentId: single, field: 'title', tab: second.tab() })
    expect([answer.status, answer.text]).to.include(200)
    await first.see({ Bea: 'title' })
    const unknown = `uid=${uid}&documentId=${'m'.repeat(24)}`
    expect((await open(one, ada, unknown)).status).to.equal(404)
  })

  it('limits the streams and the rows of a person', async () => {
    const dot = await addAdministrator(one, 'Dot', ['editor'])
    const client = await signIn(one, 'dot@example.org')
    const all = await Promise.all(Array.from({ length: 22 }, () => open(one, client)))
    const opened = all.filter(({ status }) => status === 200)
    const refused = all.filter(({ status }) => status === 503)
    expect([opened.length, refused.length]).to.deep.equal([20, 2])
    for (const stream of all) stream.close()
    const mongo = await MongoClient.connect(one.uri)
    const rows = mongo.db(one.database).collection('quire_admin_presence')
    const count = (): Promise<number> => rows.countDocuments({ id: dot.id })
    await until(async () => (await count()) === 0, 20_000)
    expect((await open(one, client)).status).to.equal(200)
    const ids: string[] = []
    for (let index = 0; index < 100; index += 1) {
      const made = await one.post('/api/articles?status=draft', { title: 'Many' })
      ids.push(made.body.data.documentId)
    }
    const put = (index: number) => note(client, { documentId: ids[index] })
    for (let index = 0; index < 99; index += 1) expect((await put(index)).status).to.equal(200)
    const last = await put(99)
    expect([last.status, last.headers['error-code']]).to.deep.equal([503, 'overloaded'])
    expect((await put(5)).status).to.equal(200)
    await rows.deleteMany({ id: dot.id })
    await mongo.close()
  })

  it('ignores the report of a tab that has left', async () => {
    const watching = await watch(one, ada)
    const second = await watch(other, bea)
    await watching.see({ Bea: null })
    second.stream.close()
    await watching.see({})
    const late = await note(bea, { field: 'title', tab: second.tab() })
    expect([late.status, late.body.data[0].name]).to.deep.equal([200, 'Ada'])
    await watch(one, await signIn(one, 'cleo@example.org'))
    await watching.see({ Cleo: null })
  })

  it('forgets a tab that is not seen any more', async () => {
    const watching = await watch(one, ada)
    await note(bea, { field: 'title' })
    await watching.see({ Bea: 'title' })
    const mongo = await MongoClient.connect(one.uri)
    const rows = mongo.db(one.database).collection('quire_admin_presence')
    const seenAt = new Date(Date.now() - 46_000)
    await rows.updateMany({ name: 'Bea' }, { $set: { seenAt } })
    await watching.see({})
    await mongo.close()
  })

  it('responds to HEAD without a stream', async () => {
    const target = `/admin/presence?uid=${UID}&documentId=${documentId}`
    const { status, headers } = await ada.send('HEAD', target)
    expect([status, headers['content-type']]).to.deep.equal([
      200,
      'text/event-stream; charset=utf-8',
    ])
  })

  it('ends all streams at shutdown, and opens no more', async () => {
    const environment = { RATE_LIMIT: 'off', MONGODB_DATABASE: one.database }
    const third = await serve('presence', { contentTypes: CONTENT_TYPES, environment })
    const [leaving, staying] = [await watch(third, bea), await watch(one, ada)]
    await staying.see({ Bea: null })
    third.leave()
    await until(() => Promise.resolve(leaving.stream.isEnded()), 20_000)
    expect(leaving.stream.events.at(-1)?.data).to.deep.equal({ reason: 'shutdown' })
    expect(leaving.stream.retry()).to.be.within(500, 5_000)
    expect((await open(third, bea)).status).to.equal(503)
    await staying.see({})
    await third.close()
  })
})
