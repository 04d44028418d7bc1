import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const ARTICLE = 'api::article.article'
const ARTICLES = `/admin/content/${ARTICLE}`
const ACTIONS = ['find', 'findOne', 'readDrafts', 'create', 'update', 'delete', 'publish'].map(
  (verb) => `${ARTICLE}.${verb}`,
)
const localized = (isLocalized: boolean): object => ({
  pluginOptions: { i18n: { localized: isLocalized } },
})

/** Decision 0269 compares the two. */
describe('an administrator for French', () => {
  let server: TestServer
  let limited: AdminClient
  let ruled: AdminClient
  let path: string

  before(async () => {
    const attributes = {
      title: { type: 'string', ...localized(true) },
      rating: { type: 'integer', ...localized(false) },
    }
    const article = declare('article', attributes, { localized: true, draftAndPublish: true })
    server = await serve('locale_rights', {
      contentTypes: { article },
      locales: ['en', 'fr'],
    })
    const open = async (name: string, rights: object): Promise<AdminClient> => {
      const body = { type: name, name, ...rights }
      const made = await server.send('POST', '/admin/administrator-roles', { body })
      expect(made.status, made.text).to.equal(201)
      await addAdministrator(server, name, [name])
      return signIn(server, `${name}@example.org`)
    }
    limited = await open('limited', {
      permissions: ACTIONS.map((action) => ({ action, locales: ['fr'] })),
    })
    const where = { locale: { $in: ['fr'] } }
    ruled = await open('ruled', {
      permissions: [],
      rules: ACTIONS.map((action) => ({ action, where })),
    })
  })
  after(() => server.close())
  beforeEach(async () => {
    const { body } = await server.post('/api/articles?locale=en', { title: 'en', rating: 1 })
    path = `${ARTICLES}/${body.data.documentId}`
    await server.put(`/api/articles/${body.data.documentId}?locale=fr`, { title: 'fr' })
  })

  const change = (admin: AdminClient, locale: string, data: object): Promise<Answer> =>
    admin.send('PUT', `${path}?locale=${locale}`, { data })
  const statusesOf = async (admin: AdminClient): Promise<Record<string, number>> => {
    const answers = {
      list: await admin.send('GET', `${ARTICLES}?locale=en&status=draft`),
      entry: await admin.send('GET', `${path}?locale=en&status=draft`),
      state: await admin.send('GET', `${ARTICLES}?locale=fr&status=draft&state=draft`),
      own: await change(admin, 'fr', { title: 'changed' }),
      other: await change(admin, 'en', { title: 'changed' }),
      shared: await change(admin, 'fr', { rating: 2 }),
      deletion: await admin.send('DELETE', `${path}?locale=en`),
    }
    const { body } = await server.get(path.replace(ARTICLES, '/api/articles') + '?status=draft')
    expect(body.data).to.include({ title: 'en', rating: answers.shared.status === 200 ? 2 : 1 })
    return Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]))
  }

  it('is refused other languages by a limit of the permissions', async () => {
    expect(await statusesOf(limited)).to.deep.equal({
      list: 403,
      entry: 403,
      state: 200,
      own: 200,
      other: 403,
      shared: 200,
      deletion: 403,
    })
  })

  it('does not see other languages under a rule, and cannot write shared attributes', async () => {
    expect(await statusesOf(ruled)).to.deep.equal({
      list: 200,
      entry: 404,
      state: 400,
      own: 200,
      other: 403,
      shared: 403,
      deletion: 204,
    })
    const list = await ruled.send('GET', `${ARTICLES}?locale=en&status=draft`)
    expect(list.body.data).to.deep.equal([])
  })
})
