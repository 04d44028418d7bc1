import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { Webhook } from 'standardwebhooks'
import type { DeliveryRow } from '../../../src/changes/webhooks/delivery.ts'
import { until } from '../../support/until.ts'
import { addAdministrator, addRole, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { type Received, type Receiver, startReceiver } from '../../support/webhook-receiver.ts'

const ARTICLE = 'api::article.article'
const TAG = 'api::tag.tag'
const SOON = 20_000
const ENTRIES = ['create', 'update', 'delete', 'publish', 'unpublish'].map(
  (verb) => `entry.${verb}`,
)

describe('webhooks', () => {
  let server: TestServer
  let client: MongoClient
  let receiver: Receiver

  before(async () => {
    receiver = await startReceiver()
    server = await serve('webhooks', {
      contentTypes: {
        article: declare(
          'article',
          {
            title: { type: 'string' },
            hidden: { type: 'string', private: true },
            tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
          },
          { draftAndPublish: true, localized: true },
        ),
        tag: declare('tag', { name: { type: 'string' } }),
      },
      locales: ['fr'],
      environment: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' },
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
    receiver.close()
  })
  beforeEach(async () => {
    await server.settled() // a new webhook receives commits without a number
    receiver.clear()
    receiver.answer(() => ({ status: 204 }))
  })
  afterEach(async () => {
    for (const { id } of (await admin('GET', '')).body.data) await admin('DELETE', `/${id}`)
  })

  const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
    server.send(method, `/admin/webhooks${path}`, { body })
  const make = async (given: object = {}): Promise<Json> => {
    const wanted = { name: 'site', url: receiver.url, events: ENTRIES, ...given }
    const answer = await admin('POST', '', wanted)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const deliveries = () => client.db(server.database).collection<DeliveryRow>('quire_deliveries')
  const arrived = (count: number): Promise<void> =>
    until(
      () => receiver.received.length >= count,
      SOON,
      () => JSON.stringify(receiver.received.map(({ body }) => body)),
    )
  const settled = (): Promise<void> =>
    until(async () => (await deliveries().countDocuments({ open: 1 })) === 0, SOON)
  const article = async (data: object = { title: 'a' }, query = ''): Promise<Json> => {
    const answer = await server.post(`/api/articles${query}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const listed = async (id: string, query = ''): Promise<Json> => {
    const answer = await admin('GET', `/${id}/deliveries${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  /** The only received message. */
  const theOne = (): Received => {
    const [one, ...others] = receiver.received
    if (one === undefined || others.length > 0) throw new Error('not one message')
    return one
  }
  const verify = (secret: string, { text, headers }: Received): unknown =>
    new Webhook(secret).verify(text, headers as Record<string, string>)
  /** Makes the next attempt of all waiting deliveries due now. */
  const hurry = () => deliveries().updateMany({ open: 1 }, { $set: { dueAt: new Date(0) } })

  it('sends signed messages about an entry in the format of Strapi', async () => {
    const { secret } = await make()
    const tag = (await server.post('/api/tags', { name: 't' })).body.data
    await arrived(1)
    receiver.clear()
    const made = await article({ title: 'a', hidden: 'h', tag: tag.documentId }, '?status=draft')
    await arrived(1)
    const created = theOne()
    expect(created.headers).to.include({
      'content-type': 'application/json',
      'x-strapi-event': 'entry.create',
    })
    expect(created.headers['user-agent']).to.match(/^Quire\/\d/)
    verify(secret, created)
    expect(created.body).to.deep.include({
      event: 'entry.create',
      model: 'article',
      uid: ARTICLE,
      documentId: made.documentId,
      locale: 'en',
      status: 'draft',
    })
    expect(created.body.entry).to.include({ documentId: made.documentId, title: 'a' })
    expect(created.body.entry.tag).to.include({ name: 't' })
    expect(created.body.entry).not.to.have.property('hidden')
    expect(created.body.seq).to.be.a('number')
    expect(created.body.revision).to.be.a('string')
    expect(Date.parse(created.body.createdAt)).to.be.closeTo(Date.now(), 60_000)
  })

  it('sends each subscribed event once, with its own id', async () => {
    await make({ events: ['entry.publish', 'entry.unpublish', 'entry.delete'], types: [ARTICLE] })
    const { documentId } = await article({ title: 'a' }, '?status=draft')
    const path = `/api/articles/${documentId}`
    await server.post('/api/tags', { name: 't' })
    await server.send('POST', `${path}/actions/publish`)
    await server.send('POST', `${path}/actions/unpublish`)
    await server.delete(path)
    await arrived(3)
    await settled()
    const events = receiver.received.map(({ body }) => body.event)
    expect(events).to.have.members(['entry.delete', 'entry.publish', 'entry.unpublish'])
    expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(3)
    const gone = receiver.received.find(({ body }) => body.event === 'entry.delete')
    expect(gone?.body.entry).to.deep.equal({ documentId, locale: 'en' })
  })

  it('filters by locale, and sends events of files', async () => {
    await make({ events: ['entry.create'], locales: ['fr'] })
    await make({ name: 'files', events: ['media.create', 'media.delete'], types: [ARTICLE] })
    await article({ title: 'en' }, '?status=draft')
    await article({ title: 'fr' }, '?status=draft&locale=fr')
    const uploaded = await server.send('POST', '/api/upload', {
      body: multipart({ files: [{ name: 'a.txt', content: 'a' }] }),
      headers: MULTIPART,
    })
    expect(uploaded.status, uploaded.text).to.equal(201)
    await arrived(2)
    await server.delete(`/api/upload/files/${uploaded.body[0].id}`)
    await arrived(3)
    const entry = receiver.received.find(({ body }) => body.event === 'entry.create')
    expect(entry?.body.entry.title).to.equal('fr')
    const media = receiver.received.filter(({ body }) => body.event.startsWith('media.'))
    expect(media.map(({ body }) => body.event)).to.deep.equal(['media.create', 'media.delete'])
    expect(media[0]?.body).not.to.have.any.keys('entry', 'model', 'uid')
    const { documentId } = uploaded.body[0]
    expect(media[1]?.body.media).to.deep.equal({ documentId })
  })

  it('sends no content if the body is thin', async () => {
    await make({ body: 'thin', events: ['entry.create'] })
    const { documentId } = await article({ title: 'secret' }, '?status=draft')
    await arrived(1)
    const { body, text } = theOne()
    expect(text).not.to.include('secret')
    expect(Object.keys(body).sort()).to.deep.equal(
      'createdAt documentId event locale model revision seq status uid'.split(' '),
    )
    expect(body.documentId).to.equal(documentId)
  })

  it('retries under the same id until the receiver accepts the message', async () => {
    const { id } = await make({ events: ['entry.create'] })
    receiver.answer(() => ({ status: 500 }))
    await article({ title: 'a' }, '?status=draft')
    await arrived(1)
    await until(async () => (await listed(id)).data[0]?.last !== null, SOON)
    const [delivery] = (await listed(id, '?state=due')).data
    expect(delivery).to.include({ state: 'due', attempts: 1, event: 'entry.create' })
    expect(delivery.last).to.include({ status: 500, error: 'status' })
    const wait = Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.last.at)
    expect(wait).to.be.within(5_000, 6_000)
    receiver.answer(() => ({ status: 200 }))
    await hurry()
    await arrived(2)
    await settled()
    const [first, second] = receiver.received
    expect(second?.id).to.equal(first?.id)
    const [done] = (await listed(id)).data
    expect(done).to.include({ state: 'delivered', attempts: 2, nextAttemptAt: null })
  })

  it('waits as long as Retry-After says', async () => {
    const { id } = await make({ events: ['entry.create'] })
    receiver.answer(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    await article({ title: 'a' }, '?status=draft')
    await until(async () => (await listed(id)).data[0]?.last?.status === 429, SOON)
    const [{ nextAttemptAt, last }] = (await listed(id)).data
    const seconds = (Date.parse(nextAttemptAt) - Date.parse(last.at)) / 1_000
    expect(seconds).to.be.within(3_600, 4_320)
  })

  it('gives up after the tenth attempt', async () => {
    const { id } = await make({ events: ['entry.create'] })
    receiver.answer(() => ({ status: 500 }))
    await article({ title: 'a' }, '?status=draft')
    await until(async () => {
      await hurry()
      return (await listed(id, '?state=failed')).data.length === 1
    }, 60_000)
    expect(receiver.received.length).to.equal(10)
    expect((await listed(id)).data[0]).to.include({ attempts: 10, state: 'failed' })
  })

  it('is disabled by a 410, and resumes where it stopped', async () => {
    const { id } = await make({ events: ['entry.create'] })
    receiver.answer(() => ({ status: 410 }))
    await article({ title: 'a' }, '?status=draft')
    await until(async () => (await admin('GET', `/${id}`)).body.data.enabled === false, SOON)
    expect((await admin('GET', `/${id}`)).body.data.disabledBecause).to.equal('gone')
    // The webhook is disabled before its delivery is given up.
    await until(async () => (await listed(id)).data[0].state === 'failed', SOON)
    await until(async () => {
      const audit = await server.get(`/admin/audit?by[kind]=system&documentId=${id}`)
      return audit.body.data.length === 1
    }, SOON)
    receiver.answer(() => ({ status: 204 }))
    receiver.clear()
    const { documentId } = await article({ title: 'b' }, '?status=draft')
    const { body } = await admin('PUT', `/${id}`, { enabled: true })
    expect(body.data).to.include({ enabled: true, disabledBecause: null })
    await arrived(1)
    expect(receiver.received[0]?.body.documentId).to.equal(documentId)
  })

  it('keeps the order of messages per document if requested', async () => {
    const { id } = await make({ ordered: true, events: ['entry.create', 'entry.update'] })
    receiver.answer(() => ({ status: 503 }))
    const { documentId } = await article({ title: '0' }, '?status=draft')
    for (const title of ['1', '2', '3']) {
      await server.put(`/api/articles/${documentId}?status=draft`, { title })
    }
    const other = await article({ title: 'other' }, '?status=draft')
    await until(async () => (await listed(id)).data.length === 5, SOON)
    const tries = (id: string) => receiver.received.some(({ body }) => body.documentId === id)
    await until(() => tries(documentId) && tries(other.documentId), SOON)
    const tried = receiver.received.filter(({ body }) => body.documentId === documentId)
    expect(new Set(tried.map(({ body }) => body.event))).to.deep.equal(new Set(['entry.create']))
    receiver.clear()
    receiver.answer(() => ({ status: 204 }))
    await hurry()
    await settled()
    const taken = receiver.received.filter(({ body }) => body.documentId === documentId)
    const numbers = taken.map(({ body }) => body.seq)
    expect(numbers).to.deep.equal([...numbers].sort((one, two) => one - two))
    expect(taken.map(({ body }) => body.event)).to.deep.equal([
      'entry.create',
      'entry.update',
      'entry.update',
      'entry.update',
    ])
  })

  it('replays a range of commits under the original ids', async () => {
    const { id } = await make({ events: ['entry.create'] })
    for (const title of ['1', '2', '3']) await article({ title }, '?status=draft')
    await arrived(3)
    await settled()
    const before = [...receiver.received].sort((one, two) => one.body.seq - two.body.seq)
    receiver.clear()
    const range = { from: before[1]?.body.seq, to: before[2]?.body.seq }
    const answer = await admin('POST', `/${id}/replay`, range)
    expect(answer.status, answer.text).to.equal(202)
    await arrived(2)
    await settled()
    expect(new Set(receiver.received.map((one) => one.id))).to.deep.equal(
      new Set(before.slice(1).map((one) => one.id)),
    )
    await until(async () => (await admin('GET', `/${id}`)).body.data.replay === null, SOON)
    expect((await admin('POST', `/${id}/replay`, { from: 1_000_000 })).status).to.equal(400)
    expect((await admin('POST', `/${id}/replay`, { from: 2, to: 1 })).status).to.equal(400)
  })

  it('signs with both secrets during a rotation', async () => {
    const { id, secret: older } = await make({ events: ['entry.create'] })
    const rotated = await admin('POST', `/${id}/rotate`)
    expect(rotated.status, rotated.text).to.equal(201)
    const { secret: newer, secretCount } = rotated.body.data
    expect(secretCount).to.equal(2)
    const check = (secret: string): void => {
      verify(secret, theOne())
    }
    expect((await admin('POST', `/${id}/test`)).body.data).to.include({ status: 204, error: null })
    expect(theOne().headers['x-strapi-event']).to.equal('trigger-test')
    check(older)
    check(newer)
    await admin('DELETE', `/${id}/previous-secret`)
    receiver.clear()
    await admin('POST', `/${id}/test`)
    check(newer)
    expect(() => check(older)).to.throw(/signature/i)
  })

  it('shows the secret on creation only', async () => {
    const { id, secret } = await make()
    expect(secret).to.match(/^whsec_/)
    for (const path of ['', `/${id}`]) {
      const { text } = await admin('GET', path)
      expect(text).not.to.include('whsec_')
      expect(text).not.to.include('secrets')
    }
    expect((await admin('PUT', `/${id}`, { name: 'other' })).text).not.to.include('whsec_')
  })

  it('connects to no private address that is not allowed', async () => {
    const { id } = await make({ url: receiver.url.replace('127.0.0.1', 'localhost') })
    const { body } = await admin('POST', `/${id}/test`)
    expect(body.data).to.include({ status: null, error: 'address_refused' })
    await article({ title: 'a' }, '?status=draft')
    await until(async () => (await listed(id)).data[0]?.last?.error === 'address_refused', SOON)
    expect(receiver.received).to.deep.equal([])
  })

  it('refuses the URL of a private address that is not allowed, on creation and change', async () => {
    const { id } = await make()
    for (const host of [
      '127.0.0.2',
      '0x7f.2',
      '2130706434',
      '0177.0.0.2',
      '[::1]',
      '[::127.0.0.1]',
    ]) {
      const url = `http://${host}:9/in`
      const refused = await Promise.all([
        admin('POST', '', { name: 'x', events: ['entry.create'], url }),
        admin('PUT', `/${id}`, { url }),
      ])
      for (const { status, text } of refused) {
        expect([status, text]).to.deep.equal([400, text])
        expect(text).to.include('is no public address; WEBHOOK_ALLOW_HOSTS lists')
      }
    }
  })

  it('refuses invalid settings', async () => {
    const wrong: readonly (readonly [string, object])[] = [
      ['name', { name: '' }],
      ['url', { url: 'ftp://example.org' }],
      ['url', { url: 'http://user:word@example.org' }],
      ['url', { url: 'https://example.org/#part' }],
      ['url', { url: '/path' }],
      ['events', { events: [] }],
      ['events.0', { events: ['entry.read'] }],
      ['types.0', { types: ['api::nothing.nothing'] }],
      ['types.0', { types: ['plugin::users-permissions.user'] }],
      ['locales', { locales: [] }],
      ['body', { body: 'fat' }],
      ['ordered', { ordered: 'yes' }],
      ['headers', { headers: ['a'] }],
      [
        'headers',
        { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`h${n}`, 'a'])) },
      ],
      ['headers.Host', { headers: { Host: 'example.org' } }],
      ['headers.webhook-signature', { headers: { 'webhook-signature': 'v1,a' } }],
      ['headers.Transfer-Encoding', { headers: { 'Transfer-Encoding': 'chunked' } }],
      ['headers.a b', { headers: { 'a b': 'c' } }],
      ['headers.X-Key', { headers: { 'X-Key': 'a\r\nHost: b' } }],
      ['headers.X-Key', { headers: { 'X-Key': '' } }],
      ['headers.X-Key', { headers: { 'X-Key': null } }],
      ['headers.x-key', { headers: { 'X-Key': 'a', 'x-key': 'b' } }],
      ['secrets', { secrets: ['whsec_mine'] }],
      ['cursor', { cursor: 0 }],
    ]
    for (const [path, given] of wrong) {
      const body = { name: 'a', url: 'https://example.org', events: ['entry.create'], ...given }
      const { status, body: told } = await admin('POST', '', body)
      expect(status, path).to.equal(400)
      expect(told.error.details.errors[0].path.join('.')).to.equal(path)
    }
    const { id } = await make()
    expect((await admin('GET', `/${id}/deliveries?state=unknown`)).status).to.equal(400)
    expect((await admin('GET', `/${id}/deliveries?limit=101`)).status).to.equal(400)
    expect((await admin('GET', `/${id}/deliveries?before[$gt]=`)).status).to.equal(400)
    for (const path of ['/nothing', '/nothing/deliveries']) {
      expect((await admin('GET', path)).status).to.equal(404)
    }
    for (const path of ['/nothing/test', '/nothing/rotate']) {
      expect((await admin('POST', path)).status).to.equal(404)
    }
  })

  it('sends its own headers, and never shows their values', async () => {
    const headers = { Authorization: 'Bearer of the site', 'X-Key': 'k1' }
    const made = await make({ headers, events: ['entry.create'] })
    const hidden = { Authorization: null, 'X-Key': null }
    expect(made.headers).to.deep.equal(hidden)
    const sent = async (): Promise<Received['headers']> => {
      receiver.clear()
      expect((await admin('POST', `/${made.id}/test`)).status).to.equal(200)
      return receiver.received[0]?.headers ?? {}
    }
    expect(await sent()).to.include({ authorization: 'Bearer of the site', 'x-key': 'k1' })
    const change = async (given: object): Promise<Json> =>
      (await admin('PUT', `/${made.id}`, given)).body
    expect((await change({ name: 'same' })).data.headers).to.deep.equal(hidden)
    expect(
      (await change({ headers: { Authorization: null, 'X-Key': 'second key' } })).data,
    ).to.deep.include({
      headers: hidden,
    })
    expect(await sent()).to.include({ authorization: 'Bearer of the site', 'x-key': 'second key' })
    for (const path of ['', `/${made.id}`]) {
      expect((await admin('GET', path)).text).to.not.match(/Bearer of|second key/)
    }
    expect((await change({ headers: { 'X-Key': null } })).data.headers).to.deep.equal({
      'X-Key': null,
    })
    expect((await sent()).authorization).to.equal(undefined)
  })

  it('sends stored headers to no other origin', async () => {
    const { id, url } = await make({ headers: { 'X-Key': 'k1' }, events: ['entry.create'] })
    const other = 'http://127.0.0.1:9/hook'
    for (const given of [{ url: other }, { url: other, headers: { 'X-Key': null } }]) {
      const { status, body } = await admin('PUT', `/${id}`, given)
      expect([status, body.error.details.errors[0].path]).to.deep.equal([400, ['headers', 'X-Key']])
    }
    expect((await admin('GET', `/${id}`)).body.data.url).to.equal(url)
    const moved = await admin('PUT', `/${id}`, { url: `${url}?again` })
    expect(moved.body.data.headers).to.deep.equal({ 'X-Key': null })
    for (const headers of [{ 'X-Key': 'k2' }, {}]) {
      expect((await admin('PUT', `/${id}`, { url: other, headers })).status).to.equal(200)
      expect((await admin('PUT', `/${id}`, { url, headers })).status).to.equal(200)
    }
  })

  it('requires permission to read the subscribed types', async () => {
    const managing = ['read', 'create', 'update', 'delete'].map((verb) => `admin::webhooks.${verb}`)
    await addRole(
      server,
      'hooks',
      managing.map((action) => ({ action })),
    )
    await addAdministrator(server, 'Ada', ['hooks'])
    const ada = await signIn(server, 'ada@example.org')
    const wanted = { name: 'mine', url: receiver.url, events: ['entry.create'], types: [ARTICLE] }
    expect((await ada.send('POST', '/admin/webhooks', wanted)).status).to.equal(403)
    const { id } = await make()
    expect((await ada.send('PUT', `/admin/webhooks/${id}`, { url: receiver.url })).status).to.equal(
      403,
    )
    const reading = ['find', 'readDrafts'].map((verb) => `${ARTICLE}.${verb}`)
    await server.send('PUT', '/admin/administrator-roles/hooks', {
      body: { permissions: [...managing, ...reading].map((action) => ({ action })) },
    })
    const again = await signIn(server, 'ada@example.org')
    expect((await again.send('POST', '/admin/webhooks', wanted)).status).to.equal(201)
    const all = await again.send('POST', '/admin/webhooks', { ...wanted, types: undefined })
    expect(all.status, 'of every type').to.equal(403)
  })

  it('sends only content that its creator may read at that time', async () => {
    const managing = ['read', 'create'].map((verb) => `admin::webhooks.${verb}`)
    const [find, readDrafts] = ['find', 'readDrafts'].map((verb) => `${ARTICLE}.${verb}`)
    const permit = async (
      permissions: readonly (string | object | undefined)[],
      rules: readonly object[] = [],
    ): Promise<void> => {
      const body = {
        rules,
        permissions: permissions.map((one) => (typeof one === 'string' ? { action: one } : one)),
      }
      const answer = await server.send('PUT', '/admin/administrator-roles/limited', { body })
      expect(answer.status, answer.text).to.equal(200)
    }
    await addRole(server, 'limited', [])
    await permit([...managing, find, readDrafts])
    const { id } = await addAdministrator(server, 'Carl', ['limited'])
    const carl = await signIn(server, 'carl@example.org')
    const wanted = { name: 'mine', url: receiver.url, events: ['entry.create', 'entry.publish'] }
    const made = await carl.send('POST', '/admin/webhooks', { ...wanted, types: [ARTICLE] })
    expect(made.status, made.text).to.equal(201)
    const tag = (await server.post('/api/tags', { name: 'secret tag' })).body.data
    /**
     * The entries in the messages about a new article: of the draft and of the published version.
     */
    const sent = async (locale = 'en'): Promise<Json> => {
      receiver.clear()
      await article({ title: 'told', tag: tag.documentId }, `?locale=${locale}`)
      await arrived(2)
      const bodies = receiver.received.map(({ body }) => body)
      const entryOf = (event: string): Json => bodies.find((body) => body.event === event).entry
      return { draft: entryOf('entry.create'), published: entryOf('entry.publish') }
    }
    const named = ['documentId', 'locale']
    /** The reasons of the newest deliveries: of the draft and of the published version. */
    const withheld = async (): Promise<readonly Json[]> => {
      await settled()
      const { data } = await listed(made.body.data.id, '?limit=2')
      return ['entry.create', 'entry.publish'].map(
        (event) => data.find((one: Json) => one.event === event).last.withheld,
      )
    }

    const limited = await sent()
    expect([limited.draft.title, limited.published.title]).to.deep.equal(['told', 'told'])
    expect(JSON.stringify(limited)).not.to.include('secret tag')
    expect(await withheld()).to.deep.equal([null, null])

    await permit([...managing, find, readDrafts, `${TAG}.find`])
    expect((await sent()).published.tag.name).to.equal('secret tag')

    await permit([...managing, find])
    const withoutDrafts = await sent()
    expect(withoutDrafts.draft).to.have.all.keys(named)
    expect(withoutDrafts.published.title).to.equal('told')
    expect(await withheld()).to.deep.equal(['permission', null])

    const rules = [find, readDrafts].map((action) => ({ action, where: { title: 'told' } }))
    await permit(managing, rules)
    const ruled = await sent()
    expect(ruled.draft).to.have.all.keys(named)
    expect(ruled.published).to.have.all.keys(named)
    expect(await withheld()).to.deep.equal(['rules', 'rules'])
    await permit([...managing, readDrafts], rules.slice(0, 1))
    await sent()
    expect(await withheld()).to.deep.equal(['rules', 'rules'])
    await permit(managing, rules.slice(0, 1))
    await sent()
    expect(await withheld()).to.deep.equal(['permission', 'rules'])

    await permit([...managing, { action: find, locales: ['fr'] }])
    expect((await sent()).published).to.have.all.keys(named)
    expect((await sent('fr')).published.title).to.equal('told')

    await permit(managing)
    const none = await sent()
    expect(none.draft).to.have.all.keys(named)
    expect(none.published).to.have.all.keys(named)
    expect(await withheld()).to.deep.equal(['permission', 'permission'])

    await permit([...managing, find, readDrafts])
    expect((await sent()).published.title).to.equal('told')
    const removed = await server.send('DELETE', `/admin/administrators/${id}`)
    expect(removed.status, removed.text).to.be.within(200, 204)
    const orphaned = await sent()
    expect(orphaned.draft).to.have.all.keys(named)
    expect(orphaned.published).to.have.all.keys(named)
    expect(await withheld()).to.deep.equal(['creator', 'creator'])
  })

  it('sends only subscribed content if it has no creator', async () => {
    const { id } = await make({ events: ['entry.publish'], types: [ARTICLE] })
    const hooks = client.db(server.database).collection<{ _id: string }>('quire_webhooks')
    await hooks.updateOne({ _id: id }, { $unset: { by: 1 } }) // a row of an earlier version
    const tag = (await server.post('/api/tags', { name: 'secret tag' })).body.data
    await article({ title: 'told', tag: tag.documentId })
    await arrived(1)
    expect(theOne().body.entry.title).to.equal('told')
    expect(theOne().text).not.to.include('secret tag')
  })

  it('refuses changes by administrators without permission to read the subscribed types', async () => {
    const managing = ['read', 'create', 'update', 'delete'].map((verb) => `admin::webhooks.${verb}`)
    const permitted = [...managing, `${TAG}.find`]
    await addRole(
      server,
      'tag-hooks',
      permitted.map((action) => ({ action })),
    )
    await addAdministrator(server, 'Bob', ['tag-hooks'])
    const bob = await signIn(server, 'bob@example.org')
    const { id } = await make({ types: [ARTICLE, TAG] })
    await article()
    const before = (await admin('GET', `/${id}`)).body.data
    const changes: readonly (readonly [string, string, object?])[] = [
      ['PUT', '', { types: [TAG], url: `${receiver.url}/elsewhere` }],
      ['PUT', '', { types: [TAG], enabled: false }],
      ['POST', '/rotate'],
      ['DELETE', '/previous-secret'],
      ['POST', '/replay', { from: 1 }],
      ['DELETE', ''],
    ]
    for (const [method, path, body] of changes) {
      const { status } = await bob.send(method, `/admin/webhooks/${id}${path}`, body)
      expect(status, `${method} ${path}`).to.equal(403)
    }
    const { url, types, secretCount, enabled } = (await admin('GET', `/${id}`)).body.data
    expect({ url, types, secretCount, enabled }).to.deep.equal({
      url: before.url,
      types: before.types,
      secretCount: before.secretCount,
      enabled: before.enabled,
    })
    const own = await make({ types: [TAG] })
    expect((await bob.send('POST', `/admin/webhooks/${own.id}/rotate`)).status).to.equal(201)
    expect((await bob.send('DELETE', `/admin/webhooks/${own.id}`)).status).to.equal(200)
  })

  it('lists deliveries page by page, newest first', async () => {
    const { id } = await make({ events: ['entry.create'] })
    for (const title of ['1', '2', '3']) await article({ title }, '?status=draft')
    await arrived(3)
    const first = await listed(id, '?limit=2')
    const second = await listed(id, `?limit=2&before=${first.meta.next}`)
    const numbers = [...first.data, ...second.data].map(({ seq }: Json) => seq)
    expect(numbers.length).to.equal(3)
    expect(numbers).to.deep.equal([...numbers].sort((one, two) => two - one))
    expect(second.meta.next).to.equal(null)
  })
})
