import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type EventStream, openEventStream } from '../../support/event-stream.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      secret: { type: 'string' },
    },
    { draftAndPublish: true, localized: true },
  ),
}
const UID = 'api::article.article'
/** Of a stream, between two events of a kind. */
const PAUSE_MS = 500
const READING = [`${UID}.find`, `${UID}.findOne`, `${UID}.readDrafts`]

describe('the changes of an open entry', function () {
  this.timeout(120_000)
  let one: TestServer
  let other: TestServer
  let ada: AdminClient
  let bea: AdminClient
  let documentId: string
  let updatedAt: string
  const opened: EventStream[] = []

  before(async () => {
    const environment = { RATE_LIMIT: 'off' }
    one = await serve('entry_changes', {
      contentTypes: CONTENT_TYPES,
      environment,
      locales: ['fr'],
    })
    const shared = { ...environment, MONGODB_DATABASE: one.database }
    other = await serve('entry_changes', { contentTypes: CONTENT_TYPES, environment: shared })
    await addRole(one, 'published', READING.slice(0, 2))
    await addRole(one, 'reading', READING)
    await addRole(one, 'titles', [])
    const rules = READING.map((action) => ({ action, where: {}, fields: ['title'] }))
    const body = { permissions: [], rules }
    const ruled = await one.send('PUT', '/admin/administrator-roles/titles', { body })
    expect(ruled.status, ruled.text).to.equal(200)
    for (const name of ['Ada', 'Bea']) await addAdministrator(one, name, ['editor'])
    ada = await signIn(one, 'ada@example.org')
    bea = await signIn(other, 'bea@example.org')
  })
  beforeEach(async () => {
    ;({ documentId, updatedAt } = await make())
  })
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })
  after(async () => {
    await other.close()
    await one.close()
  })

  const make = async (): Promise<Json> =>
    (await one.post('/api/articles?status=draft', { title: 'One' })).body.data
  const watch = async (
    server: TestServer,
    { cookie }: Pick<AdminClient, 'cookie'>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<EventStream> => {
    const query = new URLSearchParams({ uid: UID, documentId, ...more }).toString()
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const stream = await openEventStream(server.port, `/admin/presence?${query}`, headers)
    opened.push(stream)
    const hasBegun = (): boolean => stream.status !== 200 || stream.events.length > 0
    await until(() => Promise.resolve(hasBegun()), 20_000)
    return stream
  }
  const changesOf = ({ events }: EventStream): readonly Json[] =>
    events.filter(({ event }) => event === 'change').map(({ data }) => data)
  const untilChange = (stream: EventStream, kind: string, revision: unknown): Promise<void> => {
    const isSent = () =>
      changesOf(stream).some((change) => change.kind === kind && change.revision === revision)
    return until(() => Promise.resolve(isSent()), 20_000)
  }
  const untilEnded = async (stream: EventStream, reason: string): Promise<void> => {
    await until(() => Promise.resolve(stream.isEnded()), 20_000)
    expect(stream.events.at(-1)).to.deep.include({ event: 'end', data: { reason } })
  }
  const revisionOf = async (): Promise<unknown> => {
    const path = `/admin/history/${UID}/${documentId}?locale=en`
    return (await ada.send('GET', path)).body.data[0].revision
  }
  const write = async (title: string): Promise<void> => {
    const { status, text } = await one.put(`/api/articles/${documentId}?status=draft`, { title })
    expect(status, text).to.equal(200)
  }

  it('streams writes, publications and comments of another server', async () => {
    const stream = await watch(one, ada)
    const path = `/admin/content/${UID}/${documentId}`
    expect((await bea.send('PUT', path, { data: { title: 'Two' } })).status).to.equal(200)
    const drafted = await revisionOf()
    await untilChange(stream, 'entry', drafted)
    const comment = await bea.send('POST', `${path}/comments`, { text: 'Fine' })
    expect(comment.status, comment.text).to.equal(201)
    await untilChange(stream, 'discussion', null)
    expect(changesOf(stream).at(-1)).to.deep.equal({
      kind: 'discussion',
      revision: null,
      requestId: comment.headers['x-request-id'],
    })
    const before = changesOf(stream).length
    expect((await bea.send('POST', `${path}/actions/publish`)).status).to.equal(200)
    await until(() => Promise.resolve(changesOf(stream).length > before), 20_000)
    await write('Three')
    await untilChange(stream, 'entry', await revisionOf())
  })

  it('sends no event of a comment on an attribute that rules hide', async () => {
    await addAdministrator(one, 'Tim', ['titles'])
    const stream = await watch(one, await signIn(one, 'tim@example.org'))
    const complete = await watch(other, bea)
    const requestsTo = (seen: EventStream): readonly unknown[] =>
      changesOf(seen).flatMap(({ kind, requestId }) => (kind === 'discussion' ? [requestId] : []))
    const path = `/admin/content/${UID}/${documentId}/comments`
    /** Until the other stream has sent its event. */
    const send = async (method: string, target: string, body?: object) => {
      const response = await ada.send(method, target, body)
      expect(response.status, response.text).to.be.within(200, 204)
      const requestId: unknown = response.headers['x-request-id']
      await until(() => Promise.resolve(requestsTo(complete).includes(requestId)), 20_000)
      return { requestId, body: response.body }
    }
    const { body } = await send('POST', path, { text: 'Look', attribute: 'secret' })
    await send('PUT', `${path}/${body.data.id}`, { resolved: true })
    await send('DELETE', `${path}/${body.data.id}`)
    const seen = [
      await send('POST', path, { text: 'Look', attribute: 'title' }),
      await send('POST', path, { text: 'Look', attribute: null }),
    ].map(({ requestId }) => requestId)
    await until(() => Promise.resolve(requestsTo(stream).includes(seen.at(-1))), 20_000)
    expect(requestsTo(stream)).to.deep.equal(seen)
  })

  it('hides changes in other locales and of other entries', async () => {
    const french = await watch(one, ada, { locale: 'fr' })
    const { documentId: another } = await make()
    const aside = await watch(one, bea, { documentId: another })
    const stream = await watch(one, ada)
    await write('Two')
    const revision = await revisionOf()
    await untilChange(stream, 'entry', revision)
    expect(changesOf(french)).to.deep.equal([])
    expect(changesOf(aside).map((change) => change.revision)).not.to.include(revision)
  })

  it('ends the stream of a deleted entry at once, and reports a deleted locale', async () => {
    const path = `/admin/content/${UID}/${documentId}?locale=fr`
    const begun = await ada.send('PUT', path, { data: { title: 'Un' } })
    expect(begun.status, begun.text).to.equal(200)
    const french = await watch(other, bea, { locale: 'fr' })
    expect((await ada.send('DELETE', path)).status).to.equal(204)
    await untilChange(french, 'entry', null)
    const stream = await watch(other, ada)
    expect((await one.delete(`/api/articles/${documentId}`)).status).to.equal(204)
    await untilEnded(stream, 'permission')
  })

  it('sends few events for a burst of changes, and the last of them', async () => {
    const stream = await watch(other, ada)
    const began = performance.now()
    for (let turn = 0; turn < 30; turn += 1) await write(`Title ${turn}`)
    await untilChange(stream, 'entry', await revisionOf())
    const pauses = Math.ceil((performance.now() - began) / PAUSE_MS)
    expect(changesOf(stream).length).to.be.at.most(pauses + 2)
  })

  it('begins with a change if the entry was written after updatedAt', async () => {
    const current = await watch(one, ada, { updatedAt })
    await write('Two')
    const outdated = await watch(other, bea, { updatedAt })
    await untilChange(outdated, 'entry', null)
    await untilChange(current, 'entry', await revisionOf())
    expect(changesOf(current).filter(({ revision }) => revision === null)).to.deep.equal([])
    const missing = await watch(one, ada, { updatedAt, locale: 'fr' })
    await untilChange(missing, 'entry', null)
    for (const wrong of ['', 'x', '0', '2026-13-01T00:00:00.000Z']) {
      const { status, body } = await watch(one, ada, { updatedAt: wrong })
      expect([wrong, status]).to.deep.equal([wrong, 400])
      expect(body.error.details.errors[0].path).to.deep.equal(['updatedAt'])
    }
  })

  it('sends no more changes to an administrator who lost the right to read drafts', async () => {
    const { id } = await addAdministrator(one, 'Lea', ['reading'])
    const stream = await watch(one, await signIn(one, 'lea@example.org'))
    const stays = await watch(one, ada)
    await write('Two')
    await untilChange(stream, 'entry', await revisionOf())
    const before = changesOf(stream).length
    const body = { roles: ['published'] }
    const put = await one.send('PUT', `/admin/administrators/${id}`, { body })
    expect(put.status, put.text).to.equal(200)
    await write('Three')
    await untilEnded(stream, 'permission')
    await untilChange(stays, 'entry', await revisionOf())
    expect(changesOf(stream)).to.have.length(before)
  })

  it('sends no more changes to a session that ended', async () => {
    await addAdministrator(one, 'Mia', ['reading'])
    const mia = await signIn(one, 'mia@example.org')
    const stream = await watch(one, mia)
    await mia.send('DELETE', '/admin/session')
    await write('Two')
    await untilEnded(stream, 'credentials')
    // The creation of the entry can arrive when the stream has begun.
    const revisions = changesOf(stream).map(({ revision }) => revision)
    expect(revisions).not.to.include(await revisionOf())
  })
})
