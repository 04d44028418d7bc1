import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  page: declare(
    'page',
    {
      title: { type: 'string', required: true, minLength: 3, ...LOCALIZED },
      slug: { type: 'string', unique: true, ...LOCALIZED },
      body: { type: 'text', required: true, ...LOCALIZED },
      links: { type: 'component', component: 'shared.link', repeatable: true, ...LOCALIZED },
      topic: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::topic.topic',
        required: true,
        ...LOCALIZED,
      },
    },
    { draftAndPublish: true, localized: true },
  ),
  home: declare(
    'home',
    { title: { type: 'string', required: true } },
    { draftAndPublish: true, kind: 'singleType' },
  ),
  topic: declare('topic', { name: { type: 'string' } }),
  'components/shared/link': { attributes: { url: { type: 'string', unique: true } } },
}
const PAGE = 'api::page.page'
const PAGES = `/admin/content/${PAGE}`
const HOMES = '/admin/content/api::home.home'

describe('the check before a publication', () => {
  let server: TestServer
  let editor: AdminClient
  let topic: string

  before(async () => {
    server = await serve('publication_check', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    topic = (await ok('POST', '/admin/content/api::topic.topic', { data: { name: 't' } })).data
      .documentId
    const held = { title: 'Held', slug: 'held', body: 'b', topic, links: [{ url: 'held' }] }
    const { documentId } = (await ok('POST', PAGES, { data: held })).data
    await ok('POST', `${PAGES}/${documentId}/actions/publish`)
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await editor.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return answer.body
  }
  const make = async (data: object): Promise<string> =>
    (await ok('POST', PAGES, { data })).data.documentId
  const faultsOf = async (documentId: string, query = ''): Promise<Json[]> =>
    (await ok('POST', `${PAGES}/${documentId}/check${query}`)).data.faults
  const pathsOf = (fault: Json): string[] =>
    fault.details.errors.map(({ path }: Json) => path.join('.'))

  it('lists missing, invalid, taken and unrelated values at once', async () => {
    const links = [{ url: 'a' }, { url: 'held' }, { url: 'a' }]
    const documentId = await make({ slug: 'held', links })
    const [fault, ...others] = await faultsOf(documentId)
    expect(others).to.deep.equal([])
    expect(fault).to.include({ locale: 'en', name: 'ValidationError', code: 'invalid_payload' })
    expect(pathsOf(fault)).to.have.members([
      'title',
      'body',
      'topic',
      'slug',
      'links.1.url',
      'links.2.url',
    ])
    const codes = fault.details.errors.map(({ code }: Json) => code)
    expect(codes).to.include.members(['any.null', 'any.unique'])
  })

  it('includes each fault that publishing reports, as publishing reports it', async () => {
    for (const data of [
      {},
      { title: 'Title', topic },
      { title: 'Title', body: 'b', topic, slug: 'held' },
      { title: 'Title', body: 'b', topic, links: [{ url: 'held' }] },
    ]) {
      const documentId = await make(data)
      const [fault] = await faultsOf(documentId)
      const refused = await editor.send('POST', `${PAGES}/${documentId}/actions/publish`)
      expect(refused.status).to.equal(400)
      expect(fault.details.errors).to.deep.include.members(refused.body.error.details.errors)
    }
  })

  it('finds no fault exactly where publishing succeeds', async () => {
    const documentId = await make({ title: 'Good', body: 'b', topic, slug: 'good' })
    expect(await faultsOf(documentId)).to.deep.equal([])
    await ok('POST', `${PAGES}/${documentId}/actions/publish`)
    expect(await faultsOf(documentId)).to.deep.equal([])
  })

  it('does not publish or write', async () => {
    const documentId = await make({ title: 'Good', body: 'b', topic })
    const before = (await editor.send('GET', `${PAGES}/${documentId}`)).body
    await server.settled()
    const commits = await server.count('quire_commits')
    await faultsOf(documentId, '?locale=*')
    await server.settled()
    expect(await server.count('quire_commits')).to.equal(commits)
    expect((await editor.send('GET', `${PAGES}/${documentId}`)).body).to.deep.equal(before)
    expect((await server.get(`/api/pages/${documentId}`)).status).to.equal(404)
  })

  it('has one row for each locale with faults', async () => {
    const documentId = await make({ title: 'Good', body: 'b', topic })
    await ok('PUT', `${PAGES}/${documentId}?locale=fr`, { data: { title: 'Bon' } })
    expect(await faultsOf(documentId)).to.deep.equal([])
    for (const query of ['?locale=fr', '?locale=*', '?locale=en,fr']) {
      const faults = await faultsOf(documentId, query)
      expect(faults.map(({ locale }) => locale)).to.deep.equal(['fr'])
      expect(pathsOf(faults[0])).to.have.members(['body', 'topic'])
    }
  })

  it('works for single types, and names no locale there', async () => {
    const { documentId } = (await ok('POST', HOMES, { data: {} })).data
    const { data } = await ok('POST', `${HOMES}/${documentId}/check`)
    expect(data.faults).to.have.length(1)
    expect(data.faults[0]).to.not.have.property('locale')
    expect(pathsOf(data.faults[0])).to.deep.equal(['title'])
  })

  it('needs the rights to read drafts in the locale, and no right to publish', async () => {
    const documentId = await make({ title: 'Good', body: 'b', topic })
    const inFrench = ['find', 'findOne', 'readDrafts'].map((verb) => ({
      action: `${PAGE}.${verb}`,
      locales: ['fr'],
    }))
    await addRole(server, 'french', inFrench)
    await addRole(
      server,
      'blind',
      ['find', 'findOne', 'publish', 'update'].map((verb) => `${PAGE}.${verb}`),
    )
    await addAdministrator(server, 'Jeanne', ['french'])
    await addAdministrator(server, 'Blind', ['blind'])
    const jeanne = await signIn(server, 'jeanne@example.org')
    const blind = await signIn(server, 'blind@example.org')
    const target = `${PAGES}/${documentId}/check`
    expect((await jeanne.send('POST', target)).status).to.equal(403)
    expect((await jeanne.send('POST', `${target}?locale=*`)).status).to.equal(403)
    expect((await blind.send('POST', target)).status).to.equal(403)
    await ok('PUT', `${PAGES}/${documentId}?locale=fr`, { data: { title: 'Bon' } })
    expect((await jeanne.send('POST', `${target}?locale=fr`)).status).to.equal(200)
  })

  it('responds with 404 for a missing entry, locale or type with drafts, and 400 for a body', async () => {
    const documentId = await make({ title: 'Good', body: 'b', topic })
    for (const [target, status] of [
      [`${PAGES}/aaaaaaaaaaaaaaaaaaaaaaaa/check`, 404],
      [`${PAGES}/__proto__/check`, 404],
      [`${PAGES}/${documentId}/check?locale=fr`, 404],
      [`/admin/content/api::topic.topic/${topic}/check`, 404],
      [`${PAGES}/${documentId}/check?locale=xx`, 400],
    ] as const) {
      expect((await editor.send('POST', target)).status, target).to.equal(status)
    }
    const answer = await editor.send('POST', `${PAGES}/${documentId}/check`, { data: {} })
    expect(answer.status).to.equal(400)
  })
})
