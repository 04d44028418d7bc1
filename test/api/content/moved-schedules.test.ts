import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { sendSoon } from '../../support/plan-ahead.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const NOTE = 'api::note.note'
const ARTICLE = 'api::article.article'
const DAY_MS = 86_400_000

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

describe('a moved schedule', () => {
  let server: TestServer
  let ada: AdminClient
  let bob: AdminClient
  before(async () => {
    const localized = { pluginOptions: { i18n: { localized: true } } }
    server = await serve('moved_schedules', {
      contentTypes: {
        note: declare(
          'note',
          { text: { type: 'string', required: true } },
          { draftAndPublish: true },
        ),
        article: declare(
          'article',
          { title: { type: 'string', ...localized } },
          { draftAndPublish: true, localized: true },
        ),
      },
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
    })
    await addAdministrator(server, 'Ada', ['editor'])
    await addAdministrator(server, 'Bob', ['editor'])
    ada = await signIn(server, 'ada@example.org')
    bob = await signIn(server, 'bob@example.org')
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await ada.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 202, 204])
    return answer.body?.data
  }
  const make = async (uid: string, data: object): Promise<string> =>
    (await ok('POST', `/admin/content/${uid}`, { data })).documentId
  const plan = (uid: string, documentId: string, query = ''): Promise<Json> =>
    ok('POST', `/admin/content/${uid}/${documentId}/actions/publish${query}`, {
      data: { at: inDays(1) },
    })
  const isPublished = async (path: string): Promise<boolean> =>
    (await server.get(`/api/${path}`)).status === 200
  const schedulesOf = (documentId: string): Promise<Json[]> =>
    ok('GET', `/admin/schedules?documentId=${documentId}`)

  it('keeps its id and its action, and runs in the name of the administrator that moved it', async () => {
    const documentId = await make(NOTE, { text: 'one' })
    const { id, by } = await plan(NOTE, documentId)
    expect(by.name).to.equal('Ada')
    const target = `/admin/schedules/${id}`
    const moved = await sendSoon((at) => bob.send('PUT', target, { data: { at } }))
    expect(moved.status, moved.text).to.equal(200)
    expect(moved.body.data).to.include({ id, action: 'publish', documentId, state: 'waiting' })
    expect(moved.body.data).to.deep.include({ title: 'one', attempts: 0, failure: null })
    await until(() => isPublished(`notes/${documentId}`), 10_000)
    const rows = await ok('GET', `/admin/history/${NOTE}/${documentId}?status=published`)
    expect(rows[0].by).to.include({ name: 'Bob' })
    expect((await ada.send('PUT', target, { data: { at: inDays(2) } })).status).to.equal(404)
  })

  it('keeps all languages, also those that the entry does not have', async () => {
    const documentId = await make(ARTICLE, { title: 'one' })
    const { id, locales } = await plan(ARTICLE, documentId, '?locale=*')
    expect(locales).to.have.members(['en', 'fr'])
    const at = inDays(3)
    expect((await ok('PUT', `/admin/schedules/${id}`, { data: { at } })).locales).to.deep.equal(
      locales,
    )
    expect((await schedulesOf(documentId)).map((row) => [row.id, row.at])).to.deep.equal([[id, at]])
  })

  it('starts again after a failure', async () => {
    const documentId = await make(NOTE, {})
    const target = `/admin/content/${NOTE}/${documentId}/actions/publish`
    const planned = await sendSoon((at) => ada.send('POST', target, { data: { at } }))
    await until(async () => (await schedulesOf(documentId))[0]?.state === 'failed', 10_000)
    await ok('PUT', `/admin/content/${NOTE}/${documentId}`, { data: { text: 'mended' } })
    const schedule = `/admin/schedules/${planned.body.data.id}`
    const moved = await sendSoon((at) => ada.send('PUT', schedule, { data: { at } }))
    expect(moved.body.data).to.deep.include({ state: 'waiting', failure: null })
    await until(() => isPublished(`notes/${documentId}`), 10_000)
  })

  it('moves a release, which stays scheduled', async () => {
    const documentId = await make(NOTE, { text: 'released' })
    const { id } = await ok('POST', '/admin/releases', { data: { name: 'Spring' } })
    const items = [{ uid: NOTE, documentId, action: 'publish' }]
    await ok('POST', `/admin/releases/${id}/items`, { data: { items } })
    await ok('POST', `/admin/releases/${id}/actions/publish`, { data: { at: inDays(1) } })
    const at = inDays(4)
    const moved = await ok('PUT', `/admin/schedules/${id}`, { data: { at } })
    expect(moved).to.include({ id, kind: 'release', title: 'Spring', at })
    const release = await ok('GET', `/admin/releases/${id}`)
    expect([release.state, release.schedule.at]).to.deep.equal(['scheduled', at])
    const soon = await sendSoon((when) =>
      ada.send('PUT', `/admin/schedules/${id}`, { data: { at: when } }),
    )
    expect(soon.status, soon.text).to.equal(200)
    await until(() => isPublished(`notes/${documentId}`), 10_000)
  })

  it('refuses a time in the past, a missing time and a missing permission, without a change', async () => {
    const documentId = await make(NOTE, { text: 'stays' })
    const { id, at } = await plan(NOTE, documentId)
    const target = `/admin/schedules/${id}`
    await addRole(server, 'reader', [`${NOTE}.find`, `${NOTE}.readDrafts`])
    await addAdministrator(server, 'Cleo', ['reader'])
    const cleo = await signIn(server, 'cleo@example.org')
    const answers = [
      await ada.send('PUT', target, { data: { at: inDays(-1) } }),
      await ada.send('PUT', target, { data: {} }),
      await ada.send('PUT', target),
      await cleo.send('PUT', target, { data: { at: inDays(2) } }),
    ]
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 400, 400, 403])
    expect((await schedulesOf(documentId)).map((row) => row.at)).to.deep.equal([at])
  })
})
