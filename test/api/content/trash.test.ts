import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, ...LOCALIZED },
      slug: { type: 'string', unique: true, ...LOCALIZED },
      hits: { type: 'integer' },
      secret: { type: 'password', ...LOCALIZED },
      cover: { type: 'media', ...LOCALIZED },
      seo: { type: 'component', component: 'shared.seo', ...LOCALIZED },
      author: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::author.author',
        inversedBy: 'articles',
      },
    },
    { draftAndPublish: true, localized: true },
  ),
  author: declare('author', {
    name: { type: 'string', unique: true },
    articles: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::article.article',
      mappedBy: 'author',
    },
    desk: {
      type: 'relation',
      relation: 'oneToOne',
      target: 'api::desk.desk',
      inversedBy: 'author',
    },
  }),
  desk: declare('desk', {
    name: { type: 'string' },
    author: {
      type: 'relation',
      relation: 'oneToOne',
      target: 'api::author.author',
      mappedBy: 'desk',
    },
  }),
  page: declare(
    'page',
    {
      title: { type: 'string' },
      author: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::author.author',
        required: true,
      },
    },
    { draftAndPublish: true },
  ),
  home: declare(
    'home',
    { title: { type: 'string' } },
    { draftAndPublish: true, kind: 'singleType' },
  ),
  'components/shared/seo': {
    attributes: {
      words: { type: 'string' },
      about: { type: 'relation', relation: 'oneToOne', target: 'api::author.author' },
    },
  },
}
const ARTICLE = 'api::article.article'
const AUTHOR = 'api::author.author'
const HOME = 'api::home.home'
const PAGE = 'api::page.page'

describe('/admin/trash', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('trash', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr', 'de'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await editor.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 204])
    return answer.body
  }
  const make = async (uid: string, data: object, query = ''): Promise<Json> =>
    (await ok('POST', `/admin/content/${uid}${query}`, { data })).data
  const remove = (uid: string, documentId: string, query = '') =>
    ok('DELETE', `/admin/content/${uid}/${documentId}${query}`)
  const restore = (uid: string, documentId: string, data: object = {}) =>
    ok('POST', `/admin/trash/${uid}/${documentId}/restore`, { data })
  const read = async (uid: string, documentId: string, query = ''): Promise<Json> =>
    (await ok('GET', `/admin/content/${uid}/${documentId}${query}`)).data
  const statusOf = async (uid: string, documentId: string, query = ''): Promise<number> =>
    (await editor.send('GET', `/admin/content/${uid}/${documentId}${query}`)).status
  const trashed = async (documentId: string): Promise<Json[]> =>
    (await ok('GET', '/admin/trash?pagination[pageSize]=100')).data.filter(
      (row: Json) => row.documentId === documentId,
    )

  it('hides deleted entries from every response, and restores them as drafts', async () => {
    const author = await make(AUTHOR, { name: 'Ada' })
    const { documentId } = await make(ARTICLE, {
      title: 'One',
      slug: 'one',
      hits: 3,
      secret: 'hush hush',
      seo: { words: 'w', about: author.documentId },
      author: author.documentId,
    })
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=fr`, { data: { title: 'Un' } })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish?locale=*`)
    const before = await read(ARTICLE, documentId, '?populate=*')
    await remove(ARTICLE, documentId, '?locale=*')

    expect(await statusOf(ARTICLE, documentId)).to.equal(404)
    for (const target of [
      '/api/articles',
      '/api/articles?status=draft&locale=*',
      `/admin/content/${ARTICLE}`,
      `/api/authors?populate=*&filters[articles][title]=One`,
    ]) {
      expect((await server.get(target)).body.data, target).to.deep.equal([])
    }
    const populated = await server.get(`/api/authors/${author.documentId}?populate=articles`)
    expect(populated.body.data.articles).to.deep.equal([])
    const [row, ...others] = await trashed(documentId)
    expect(others).to.deep.equal([])
    expect(row).to.deep.include({ uid: ARTICLE, locales: ['en', 'fr'], title: 'One' })
    expect(row.by).to.include({ kind: 'administrator', name: 'Editor' })
    expect(Date.parse(row.expiresAt) - Date.parse(row.deletedAt)).to.equal(30 * 86_400_000)

    const { data, meta } = await restore(ARTICLE, documentId)
    expect(data.map((one: Json) => [one.locale, one.status])).to.have.deep.members([
      ['en', 'draft'],
      ['fr', 'draft'],
    ])
    expect(meta).to.deep.equal({ lost: [], taken: [] })
    const after = await read(ARTICLE, documentId, '?populate=*')
    const { updatedAt: _then, localizations: _others, ...was } = before
    expect(after).to.deep.include(was)
    expect((await server.get(`/api/articles/${documentId}`)).status).to.equal(404)
    expect(await trashed(documentId)).to.deep.equal([])
    expect(
      (await server.get(`/api/authors/${author.documentId}?populate=articles&status=draft`)).body
        .data.articles,
    ).to.have.length(1)
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish?locale=*`)
  })

  it('restores one locale with the current shared values', async () => {
    const { documentId } = await make(ARTICLE, { title: 'Two', hits: 1 })
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=fr`, {
      data: { title: 'Deux' },
    })
    await remove(ARTICLE, documentId, '?locale=fr')
    expect((await trashed(documentId))[0].locales).to.deep.equal(['fr'])
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}`, { data: { hits: 2 } })
    await restore(ARTICLE, documentId)
    expect(await read(ARTICLE, documentId, '?locale=fr')).to.include({ title: 'Deux', hits: 2 })
  })

  it('restores some locales first and the others later', async () => {
    const { documentId } = await make(ARTICLE, { title: 'Three' })
    for (const [locale, title] of [
      ['fr', 'Trois'],
      ['de', 'Drei'],
    ]) {
      await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=${locale}`, {
        data: { title },
      })
    }
    await remove(ARTICLE, documentId, '?locale=*')
    await restore(ARTICLE, documentId, { locales: ['de'] })
    expect(await statusOf(ARTICLE, documentId)).to.equal(404)
    expect((await read(ARTICLE, documentId, '?locale=de')).title).to.equal('Drei')
    expect((await trashed(documentId))[0].locales).to.deep.equal(['en', 'fr'])
    await restore(ARTICLE, documentId)
    expect((await read(ARTICLE, documentId, '?locale=fr')).title).to.equal('Trois')
    const again = await editor.send('POST', `/admin/trash/${ARTICLE}/${documentId}/restore`)
    expect(again.status).to.equal(404)
  })

  it('restores the published version on request', async () => {
    const { documentId } = await make(ARTICLE, { title: 'Out' })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish`)
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}`, { data: { title: 'Half done' } })
    await remove(ARTICLE, documentId)
    await restore(ARTICLE, documentId, { from: 'published' })
    expect((await read(ARTICLE, documentId)).title).to.equal('Out')
  })

  it('brings back an entry as it was: published, with the changes of its draft', async () => {
    const { documentId } = await make(ARTICLE, { title: 'Out', slug: 'as-it-was', hits: 1 })
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=fr`, { data: { title: 'Un' } })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish`)
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}`, { data: { title: 'Half done' } })
    const before = (await server.get(`/api/articles/${documentId}`)).body.data
    await remove(ARTICLE, documentId, '?locale=*')
    const { data, meta } = await restore(ARTICLE, documentId, { from: 'both' })
    expect(data.map(({ locale, status }: Json) => `${locale} ${status}`).sort()).to.deep.equal([
      'en draft',
      'en published',
      'fr draft',
    ])
    expect(meta).to.deep.equal({ lost: [], taken: [] })
    const after = (await server.get(`/api/articles/${documentId}`)).body.data
    const { updatedAt: _then, ...was } = before
    expect(after).to.deep.include(was)
    expect((await read(ARTICLE, documentId)).title).to.equal('Half done')
    expect((await server.get(`/api/articles/${documentId}?locale=fr`)).status).to.equal(404)
    const { meta: listed } = await ok('GET', `/admin/content/${ARTICLE}?filters[slug]=as-it-was`)
    expect(listed.states).to.deep.equal({ [documentId]: 'changed' })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/discard`)
    expect((await read(ARTICLE, documentId)).title).to.equal('Out')
    await remove(ARTICLE, documentId, '?locale=*')
    await restore(ARTICLE, documentId, { from: 'both', locales: ['en'] })
    expect((await server.get(`/api/articles/${documentId}`)).status).to.equal(200)
    await restore(ARTICLE, documentId, { from: 'both' })
  })

  it('publishes one locale with the current shared values of the other published locales', async () => {
    const { documentId } = await make(ARTICLE, { title: 'One', hits: 1 })
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=fr`, { data: { title: 'Un' } })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish?locale=*`)
    await remove(ARTICLE, documentId, '?locale=fr')
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}`, { data: { hits: 2 } })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish`)
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}`, { data: { hits: 3 } })
    await restore(ARTICLE, documentId, { from: 'both' })
    const published = await server.get(`/api/articles/${documentId}?locale=fr`)
    expect(published.body.data).to.include({ title: 'Un', hits: 2 })
    expect(await read(ARTICLE, documentId, '?locale=fr')).to.include({ title: 'Un', hits: 3 })
  })

  it('restores an entry as published only if it can be published now', async () => {
    const { documentId } = await make(ARTICLE, { title: 'Once', slug: 'once' })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish`)
    await remove(ARTICLE, documentId)
    const other = await make(ARTICLE, { title: 'Other', slug: 'once' })
    await ok('POST', `/admin/content/${ARTICLE}/${other.documentId}/actions/publish`)
    const target = `/admin/trash/${ARTICLE}/${documentId}/restore`
    const taken = await editor.send('POST', target, { data: { from: 'both' } })
    expect([taken.status, taken.headers['error-code']]).to.deep.equal([400, 'value_not_unique'])
    expect(await trashed(documentId)).to.have.length(1)
    const { meta } = await restore(ARTICLE, documentId)
    expect(meta.taken.map(({ path }: Json) => path)).to.deep.equal([['slug']])

    const author = await make(AUTHOR, { name: 'Needed' })
    const page = await make(PAGE, { title: 'Page', author: author.documentId })
    await ok('POST', `/admin/content/${PAGE}/${page.documentId}/actions/publish`)
    await remove(PAGE, page.documentId)
    await remove(AUTHOR, author.documentId)
    await ok('DELETE', `/admin/trash/${AUTHOR}/${author.documentId}`)
    const lost = await editor.send('POST', `/admin/trash/${PAGE}/${page.documentId}/restore`, {
      data: { from: 'both' },
    })
    expect([lost.status, lost.body.error.details.errors[0].path]).to.deep.equal([400, ['author']])
    expect(await trashed(page.documentId)).to.have.length(1)
  })

  it('asks for the right to publish where a version comes back published', async () => {
    const verbs = ['find', 'findOne', 'readDrafts', 'create', 'delete'].map(
      (verb) => `${ARTICLE}.${verb}`,
    )
    await addRole(server, 'writers', verbs)
    await addAdministrator(server, 'Wanda', ['writers'])
    const wanda = await signIn(server, 'wanda@example.org')
    const { documentId } = await make(ARTICLE, { title: 'Published' })
    await ok('POST', `/admin/content/${ARTICLE}/${documentId}/actions/publish`)
    await remove(ARTICLE, documentId)
    const target = `/admin/trash/${ARTICLE}/${documentId}/restore`
    expect((await wanda.send('POST', target, { data: { from: 'both' } })).status).to.equal(403)
    expect(await trashed(documentId)).to.have.length(1)
    expect((await wanda.send('POST', target)).status).to.equal(200)
    await remove(ARTICLE, documentId)
    const draft = await wanda.send('POST', target, { data: { from: 'both' } })
    expect(draft.status, 'a draft alone').to.equal(200)
  })

  it('refuses to restore an existing entry, and keeps every deletion', async () => {
    const documentId = (await make(HOME, { title: 'First' })).documentId
    await remove(HOME, documentId)
    await make(HOME, { title: 'Second' })
    const refused = await editor.send('POST', `/admin/trash/${HOME}/${documentId}/restore`)
    expect([refused.status, refused.headers['error-code']]).to.deep.equal([409, 'already_there'])
    expect((await read(HOME, documentId)).title).to.equal('Second')
    await remove(HOME, documentId)
    const rows = await trashed(documentId)
    expect(rows.map(({ title }) => title)).to.deep.equal(['Second', 'First'])
    await restore(HOME, documentId, { deletion: rows[1].id })
    expect((await read(HOME, documentId)).title).to.equal('First')
    expect(await trashed(documentId)).to.have.length(1)
  })

  it('reports taken values and lost references of a restored entry', async () => {
    const author = await make(AUTHOR, { name: 'Grace' })
    const { documentId } = await make(ARTICLE, {
      title: 'Four',
      slug: 'four',
      author: author.documentId,
      seo: { about: author.documentId },
    })
    await remove(ARTICLE, documentId)
    await remove(AUTHOR, author.documentId)
    const other = await make(ARTICLE, { title: 'Other', slug: 'four' })
    await ok('POST', `/admin/content/${ARTICLE}/${other.documentId}/actions/publish`)
    await ok('DELETE', `/admin/trash/${AUTHOR}/${author.documentId}`)
    const { meta } = await restore(ARTICLE, documentId)
    expect(meta.lost).to.have.deep.members([
      { locale: 'en', path: ['author'], documentId: author.documentId },
      { locale: 'en', path: ['seo', 'about'], documentId: author.documentId },
    ])
    expect(meta.taken).to.deep.equal([
      {
        locale: 'en',
        path: ['slug'],
        message: 'This attribute must be unique',
        name: 'ValidationError',
        value: 'four',
      },
    ])
    const refused = await editor.send(
      'POST',
      `/admin/content/${ARTICLE}/${documentId}/actions/publish`,
    )
    expect(refused.headers['error-code']).to.equal('value_not_unique')
  })

  it('reports no lost reference to an unreadable type', async () => {
    const author = await make(AUTHOR, { name: 'Of nobody' })
    const related = { author: author.documentId, seo: { about: author.documentId } }
    const { documentId } = await make(ARTICLE, { title: 'Hides', ...related })
    await remove(ARTICLE, documentId)
    await remove(AUTHOR, author.documentId)
    await ok('DELETE', `/admin/trash/${AUTHOR}/${author.documentId}`)
    const verbs = ['find', 'findOne', 'readDrafts', 'create']
    await addRole(
      server,
      'restorers',
      verbs.map((verb) => `${ARTICLE}.${verb}`),
    )
    await addAdministrator(server, 'Rita', ['restorers'])
    const rita = await signIn(server, 'rita@example.org')
    const answer = await rita.send('POST', `/admin/trash/${ARTICLE}/${documentId}/restore`)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.meta.lost).to.deep.equal([])
    expect(answer.text).to.not.include(author.documentId)
  })

  it('refuses to restore an entry without drafts if a unique value is taken', async () => {
    const { documentId } = await make(AUTHOR, { name: 'Taken' })
    await remove(AUTHOR, documentId)
    await make(AUTHOR, { name: 'Taken' }) // the value is free again
    const refused = await editor.send('POST', `/admin/trash/${AUTHOR}/${documentId}/restore`)
    expect([refused.status, refused.headers['error-code']]).to.deep.equal([400, 'value_not_unique'])
    expect(await trashed(documentId)).to.have.length(1)
    expect(await statusOf(AUTHOR, documentId)).to.equal(404)
  })

  it('reconnects restored entries, and takes no entry from another owner', async () => {
    const desk = await make('api::desk.desk', { name: 'd' })
    const author = await make(AUTHOR, { name: 'Sits', desk: desk.documentId })
    const { documentId } = await make(ARTICLE, { title: 'Five', author: author.documentId })
    await remove(ARTICLE, documentId)
    await remove(AUTHOR, author.documentId)
    const other = await make(AUTHOR, { name: 'Sits now', desk: desk.documentId })
    expect((await restore(ARTICLE, documentId)).meta.lost).to.deep.equal([])
    expect((await read(ARTICLE, documentId, '?populate=author')).author).to.equal(null)
    const { meta } = await restore(AUTHOR, author.documentId)
    expect(meta.lost).to.deep.equal([{ path: ['desk'], documentId: desk.documentId }])
    expect((await read(ARTICLE, documentId, '?populate=author')).author.name).to.equal('Sits')
    const sitting = await read(AUTHOR, other.documentId, '?populate=desk')
    expect(sitting.desk.documentId).to.equal(desk.documentId)
  })

  it('contains the deletions of every route', async () => {
    const one = await make(AUTHOR, { name: 'By token' })
    const two = await make(AUTHOR, { name: 'In bulk' })
    const three = await make(AUTHOR, { name: 'Many' })
    expect((await server.delete(`/api/authors/${one.documentId}`)).status).to.equal(204)
    const bulk = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify({ op: 'delete', type: 'author', documentId: two.documentId })}\n`,
    })
    expect(bulk.status, bulk.text).to.equal(200)
    await ok('POST', `/admin/content/${AUTHOR}/bulk`, {
      action: 'delete',
      documentIds: [three.documentId],
    })
    for (const { documentId, name } of [one, two, three]) {
      expect(
        (await trashed(documentId)).map(({ title }) => title),
        name,
      ).to.deep.equal([name])
    }
  })

  it('lists deletions by page and type, and purges one', async () => {
    const ids: string[] = []
    for (const name of ['p1', 'p2', 'p3']) ids.push((await make(AUTHOR, { name })).documentId)
    for (const documentId of ids) await remove(AUTHOR, documentId)
    const first = await ok('GET', `/admin/trash?uid=${AUTHOR}&pagination[pageSize]=2`)
    expect(first.data.map(({ title }: Json) => title)).to.deep.equal(['p3', 'p2'])
    const cursor = first.meta.pagination.nextCursor
    const second = await ok('GET', `/admin/trash?uid=${AUTHOR}&pagination[cursor]=${cursor}`)
    expect(second.data[0].title).to.equal('p1')
    await ok('DELETE', `/admin/trash/${AUTHOR}/${ids[0]}?deletion=${second.data[0].id}`)
    expect(await trashed(ids[0] ?? '')).to.deep.equal([])
    expect((await editor.send('DELETE', `/admin/trash/${AUTHOR}/${ids[0]}`)).status).to.equal(404)
    const audit = async (): Promise<Json> =>
      (await server.get(`/admin/audit?type=admin::trash&documentId=${ids[0]}`)).body.data[0]
    await until(async () => (await audit()) !== undefined, 10_000)
    expect((await audit()).by).to.include({ name: 'Editor' })
  })

  it('requires permissions to list, restore and purge', async () => {
    const rights = ['find', 'findOne', 'readDrafts', 'create', 'delete', 'update'].map((verb) => ({
      action: `${ARTICLE}.${verb}`,
      locales: ['fr'],
    }))
    await addRole(server, 'french', rights)
    await addAdministrator(server, 'Jeanne', ['french'])
    const jeanne = await signIn(server, 'jeanne@example.org')
    const { documentId } = await make(ARTICLE, { title: 'English' })
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=fr`, { data: { title: 'Fr' } })
    await remove(ARTICLE, documentId, '?locale=*')
    const author = await make(AUTHOR, { name: 'Unseen' })
    await remove(AUTHOR, author.documentId)
    expect((await jeanne.send('GET', '/admin/trash')).body.data).to.deep.equal([])
    const target = `/admin/trash/${ARTICLE}/${documentId}`
    expect((await jeanne.send('POST', `${target}/restore`)).status).to.equal(403)
    expect((await jeanne.send('DELETE', target)).status).to.equal(403)
    expect(
      (await jeanne.send('POST', `/admin/trash/${AUTHOR}/${author.documentId}/restore`)).status,
    ).to.equal(403)
    const french = await jeanne.send('POST', `${target}/restore`, { data: { locales: ['fr'] } })
    expect(french.status, french.text).to.equal(200)
    expect((await editor.send('GET', '/admin/trash')).status).to.equal(200)
    expect((await server.get('/admin/trash', { token: null })).status).to.equal(401)
  })

  it('lists and restores an entry that was deleted in a removed locale too', async () => {
    await server.send('POST', '/admin/locales', { body: { code: 'nl' } })
    const { documentId } = await make(ARTICLE, { title: 'English' })
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=nl`, {
      data: { title: 'Dutch' },
    })
    await remove(ARTICLE, documentId, '?locale=*')
    await server.send('DELETE', '/admin/locales/nl')
    const [row] = await trashed(documentId)
    expect(row?.title).to.equal('English')
    const { data } = await restore(ARTICLE, documentId)
    expect(data.map(({ locale }: Json) => locale)).to.include('en')
    expect((await read(ARTICLE, documentId)).title).to.equal('English')
  })

  it('shows the title of the remaining locales of a deletion', async () => {
    const rights = ['find', 'readDrafts'].map((verb) => ({
      action: `${ARTICLE}.${verb}`,
      locales: ['fr'],
    }))
    await addRole(server, 'readers', rights)
    await addAdministrator(server, 'Odile', ['readers'])
    const odile = await signIn(server, 'odile@example.org')
    const { documentId } = await make(ARTICLE, { title: 'Of the English' })
    const french = { data: { title: 'Des Français' } }
    await ok('PUT', `/admin/content/${ARTICLE}/${documentId}?locale=fr`, french)
    await remove(ARTICLE, documentId, '?locale=*')
    expect((await odile.send('GET', '/admin/trash')).body.data).to.deep.equal([])
    await restore(ARTICLE, documentId, { locales: ['en'] })
    const { body } = await odile.send('GET', '/admin/trash')
    expect(body.data.map(({ title, locales }: Json) => [title, locales])).to.deep.equal([
      ['Des Français', ['fr']],
    ])
  })

  const WRONG: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/admin/trash?pagination[pageSize]=0'],
    ['GET', '/admin/trash?pagination[cursor]=x'],
    ['GET', '/admin/trash?filters[title]=x'],
    ['GET', '/admin/trash?uid[$ne]=x'],
    [
      'POST',
      `/admin/trash/${ARTICLE}/aaaaaaaaaaaaaaaaaaaaaaaa/restore`,
      { data: { deletion: { $ne: 1 } } },
    ],
    ['POST', `/admin/trash/${ARTICLE}/aaaaaaaaaaaaaaaaaaaaaaaa/restore`, { data: { locales: [] } }],
    ['POST', `/admin/trash/${ARTICLE}/aaaaaaaaaaaaaaaaaaaaaaaa/restore`, { locales: ['en'] }],
    ['DELETE', `/admin/trash/${ARTICLE}/aaaaaaaaaaaaaaaaaaaaaaaa?deletion=x`],
  ]
  it('refuses invalid requests', async () => {
    for (const [method, target, body] of WRONG) {
      expect((await editor.send(method, target, body)).status, target).to.equal(400)
    }
    for (const documentId of ['aaaaaaaaaaaaaaaaaaaaaaaa', 'x', '__proto__']) {
      const target = `/admin/trash/${ARTICLE}/${documentId}`
      expect((await editor.send('POST', `${target}/restore`)).status).to.equal(404)
      expect((await editor.send('DELETE', target)).status).to.equal(404)
    }
    expect(
      (await editor.send('POST', '/admin/trash/plugin::upload.file/x/restore')).status,
    ).to.equal(404)
  })
})

describe('a server without a trash', () => {
  it('keeps no deleted entries', async () => {
    const server = await serve('no_trash', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
      environment: { TRASH_DAYS: '0' },
    })
    const { documentId } = (await server.post('/api/tags', { name: 't' })).body.data
    await server.delete(`/api/tags/${documentId}`)
    expect(await server.count('quire_trash')).to.equal(0)
    expect(await server.count('quire_trash_versions')).to.equal(0)
    expect((await server.get('/admin/trash')).body.meta.trashDays).to.equal(0)
    await server.close()
  })
})
