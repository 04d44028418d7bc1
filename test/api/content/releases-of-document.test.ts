import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    { title: { type: 'string', ...LOCALIZED } },
    { draftAndPublish: true, localized: true },
  ),
  note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
}
const ARTICLE = 'api::article.article'
const NOTE = 'api::note.note'

describe('releases of a document', () => {
  let server: TestServer
  let editor: AdminClient
  let article: string

  before(async () => {
    server = await serve('releases_of', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    article = await make(ARTICLE, { title: 'Held' })
    await ok('PUT', `/admin/content/${ARTICLE}/${article}?locale=fr`, { data: { title: 'Tenu' } })
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await editor.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 202, 204])
    return answer.body
  }
  const make = async (uid: string, data: object): Promise<string> =>
    (await ok('POST', `/admin/content/${uid}`, { data })).data.documentId
  const begin = async (name: string, ...items: readonly object[]): Promise<string> => {
    const { id } = (await ok('POST', '/admin/releases', { data: { name } })).data
    await ok('POST', `/admin/releases/${id}/items`, { data: { items } })
    return id
  }
  const query = (uid: string, documentId: string) => `uid=${uid}&documentId=${documentId}`
  const holding = async (documentId: string, uid = ARTICLE): Promise<Json[]> =>
    (await ok('GET', `/admin/releases?${query(uid, documentId)}`)).data

  it('lists the open releases with their actions on the document, newest first', async () => {
    const note = await make(NOTE, { text: 'beside' })
    const item = (uid: string, documentId: string, action = 'publish', locale?: string) => ({
      uid,
      documentId,
      action,
      ...(locale !== undefined && { locale }),
    })
    const spring = await begin(
      'Spring',
      item(NOTE, note),
      item(ARTICLE, article),
      item(ARTICLE, article, 'unpublish', 'fr'),
    )
    const summer = await begin('Summer', item(ARTICLE, article))
    await begin('Without it', item(NOTE, note))
    const found = await holding(article)
    expect(found.map(({ name, state, count }) => [name, state, count])).to.deep.equal([
      ['Summer', 'open', 1],
      ['Spring', 'open', 3],
    ])
    expect(
      found[1].items.map(({ documentId, locale, action, title }: Json) => [
        documentId,
        locale,
        action,
        title,
      ]),
    ).to.deep.equal([
      [article, 'en', 'publish', 'Held'],
      [article, 'fr', 'unpublish', 'Tenu'],
    ])
    expect(await holding(article, NOTE)).to.deep.equal([])
    await ok('POST', `/admin/releases/${summer}/actions/publish`)
    expect((await holding(article)).map(({ id }) => id)).to.deep.equal([spring])
    const at = new Date(Date.now() + 86_400_000).toISOString()
    await ok('POST', `/admin/releases/${spring}/actions/publish`, { data: { at } })
    const [planned] = await holding(article)
    expect(planned.state).to.equal('scheduled')
    expect(planned.schedule.at).to.equal(at)
  })

  it('requires uid and documentId, both as strings', async () => {
    for (const wrong of [`uid=${ARTICLE}`, `documentId=${article}`, `${query('a', 'b')}[$ne]=`]) {
      const answer = await editor.send('GET', `/admin/releases?${wrong}`)
      expect(answer.status, wrong).to.equal(400)
    }
  })

  it('hides the title and the state of a document without permission to read it', async () => {
    await addRole(server, 'planner', ['admin::releases.read'])
    await addAdministrator(server, 'Planner', ['planner'])
    const planner = await signIn(server, 'planner@example.org')
    const { body } = await planner.send('GET', `/admin/releases?${query(ARTICLE, article)}`)
    const items = body.data.flatMap((release: Json) => release.items)
    expect(items).to.have.length.above(0)
    for (const item of items) expect(item).to.include({ title: '', state: null })
  })
})
