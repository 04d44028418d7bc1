import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const TEMPLATE =
  'https://app.example.org/preview?id={documentId}&l={locale}&s={status}&secret={secret}'
const withPreview = (declared: object): object => ({
  ...declared,
  options: { ...(declared as { options: object }).options, preview: TEMPLATE },
})
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: withPreview(
    declare(
      'article',
      { title: { type: 'string', ...LOCALIZED }, notes: { type: 'text', private: true } },
      { draftAndPublish: true, localized: true },
    ),
  ),
  tag: declare('tag', { name: { type: 'string' } }),
  'queries/titles': { type: 'article', fields: ['title'] },
}
const ARTICLES = '/admin/content/api::article.article'

describe('previews of entries', () => {
  let server: TestServer
  let editor: AdminClient
  let documentId: string

  before(async () => {
    server = await serve('preview', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    const data = { title: 'A draft', notes: 'private' }
    documentId = (await editor.send('POST', ARTICLES, { data })).body.data.documentId
  })
  after(() => server.close())

  const preview = async (who: AdminClient, body: object = {}): Promise<URL> => {
    const answer = await who.send('POST', `${ARTICLES}/${documentId}/preview`, body)
    expect(answer.status, answer.text).to.equal(200)
    expect(Date.parse(answer.body.data.expiresAt)).to.be.above(Date.now() + 3_500_000)
    return new URL(answer.body.data.url)
  }
  const secretOf = (url: URL): string => url.searchParams.get('secret') ?? ''
  const read = (token: string, path = `/api/articles/${documentId}?status=draft`) =>
    server.get(path, { token })

  it('returns the URL declared by the type, with a token that reads drafts and cannot write', async () => {
    const url = await preview(editor, { locale: 'fr' })
    expect(url.origin + url.pathname).to.equal('https://app.example.org/preview')
    expect(url.searchParams.get('id')).to.equal(documentId)
    expect(url.searchParams.get('l')).to.equal('fr')
    expect(url.searchParams.get('s')).to.equal('draft')
    const token = secretOf(url)
    const shown = await read(token)
    expect(shown.status, shown.text).to.equal(200)
    expect(shown.body.data.title).to.equal('A draft')
    expect(shown.text).to.not.include('private')
    expect((await read(token, '/api/tags')).status).to.equal(200)
    for (const [method, path] of [
      ['POST', '/api/articles'],
      ['PUT', `/api/articles/${documentId}`],
      ['DELETE', `/api/articles/${documentId}`],
      ['POST', `/api/articles/${documentId}/actions/publish`],
      ['POST', '/api/upload'],
      ['GET', '/api/users'],
      ['GET', '/admin/session'],
      ['GET', ARTICLES],
    ] as const) {
      const body = method === 'POST' || method === 'PUT' ? { body: { data: {} } } : {}
      expect((await server.send(method, path, { token, ...body })).status, path).to.equal(403)
    }
  })

  it('allows reads of entries and files, but not of users, roles, sync or named queries', async () => {
    await addAdministrator(server, 'Boss', ['administrator'])
    const boss = await signIn(server, 'boss@example.org')
    const token = secretOf(await preview(boss))
    const statusOf = async (path: string): Promise<number> => (await read(token, path)).status
    for (const path of [
      '/api/articles?status=draft',
      `/api/articles/${documentId}?status=draft`,
      '/api/tags',
      '/api/upload/files',
    ]) {
      expect(await statusOf(path), path).to.equal(200)
    }
    for (const path of [
      '/api/users',
      '/api/users/1',
      '/api/users/count',
      '/api/users/me',
      '/api/users-permissions/roles',
      '/api/users-permissions/roles/1',
      '/api/users-permissions/permissions',
      '/api/_sync',
      '/api/_sync?types=article',
      '/api/_live?types=article',
      '/api/_q/titles',
      '/api/i18n/locales',
    ]) {
      expect(await statusOf(path), path).to.be.oneOf([401, 403])
    }
    const bulk = await server.send('POST', '/api/_bulk', {
      token,
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: '{}\n',
    })
    expect(bulk.status).to.equal(403)
  })

  it('refuses modified, invented and foreign tokens', async () => {
    const token = secretOf(await preview(editor))
    const { id } = await addAdministrator(server, 'Other', ['administrator'])
    const [, , epoch, end, signature = ''] = token.split('-')
    for (const made of [
      `preview-${id}-${epoch}-${end}-${signature}`,
      token.replace(`-${end}-`, `-${Number(end) + 1}-`),
      token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'),
      'preview-',
      `preview-${'a'.repeat(24)}-0-1-${'0'.repeat(64)}`,
    ]) {
      expect((await read(made)).status, made).to.equal(401)
    }
  })

  it('ends with the password, and follows the permissions of the administrator', async () => {
    const { id } = await addAdministrator(server, 'Leaver', ['editor'])
    const token = secretOf(await preview(await signIn(server, 'leaver@example.org')))
    expect((await read(token)).status).to.equal(200)
    await server.send('PUT', `/admin/administrators/${id}`, { body: { roles: [] } })
    expect((await read(token)).status).to.equal(403)
    await server.send('PUT', `/admin/administrators/${id}`, {
      body: { roles: ['editor'], password: 'another password' },
    })
    expect((await read(token)).status).to.equal(401)
    const again = secretOf(
      await preview(await signIn(server, 'leaver@example.org', 'another password')),
    )
    await server.send('DELETE', `/admin/administrators/${id}`)
    expect((await read(again)).status).to.equal(401)
  })

  it('cannot read types that the administrator may read in some locales only', async () => {
    const verbs = ['find', 'findOne', 'readDrafts']
    const french = verbs.map((verb) => ({
      action: `api::article.article.${verb}`,
      locales: ['fr'],
    }))
    await addRole(server, 'french', french)
    await addAdministrator(server, 'Fleur', ['french'])
    const fleur = await signIn(server, 'fleur@example.org')
    const path = `${ARTICLES}/${documentId}/preview`
    expect((await fleur.send('POST', path, { locale: 'en' })).status).to.equal(403)
    const token = secretOf(await preview(fleur, { locale: 'fr' }))
    expect((await read(token)).status).to.equal(403)
  })

  it('exists for types that declare a preview', async () => {
    const tag = await editor.send('POST', '/admin/content/api::tag.tag', { data: { name: 'x' } })
    const path = `/admin/content/api::tag.tag/${tag.body.data.documentId}/preview`
    expect((await editor.send('POST', path, {})).status).to.equal(404)
    const type = await editor.send('GET', '/admin/content-types/api::article.article')
    expect(type.body.data.hasPreview).to.equal(true)
  })
})
