import { expect } from 'chai'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, ...LOCALIZED },
      slug: { type: 'uid', targetField: 'title' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      sections: {
        type: 'dynamiczone',
        components: ['shared.quote', 'shared.nested'],
        ...LOCALIZED,
      },
    },
    { draftAndPublish: true, localized: true },
  ),
  author: declare('author', {
    name: { type: 'string' },
    friend: { type: 'relation', relation: 'oneToOne', target: 'api::author.author' },
  }),
  'components/shared/quote': {
    attributes: { by: { type: 'relation', relation: 'oneToOne', target: 'api::author.author' } },
  },
  'components/shared/nested': {
    attributes: { quotes: { type: 'component', component: 'shared.quote', repeatable: true } },
  },
}
const ARTICLES = '/admin/content/api::article.article'
const AUTHORS = '/admin/content/api::author.author'

describe('helpers of the entry form', () => {
  let server: TestServer
  let editor: AdminClient
  let bound: AdminClient

  before(async () => {
    server = await serve('editor_helpers', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr', 'de'],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    await addRole(server, 'french', [
      { action: 'api::article.article.find', locales: ['fr'] },
      { action: 'api::article.article.readDrafts', locales: ['fr'] },
      'api::author.author.find',
    ])
    await addAdministrator(server, 'Fleur', ['french'])
    bound = await signIn(server, 'fleur@example.org')
  })
  after(() => server.close())

  const create = async (path: string, data: object, query = ''): Promise<Json> => {
    const answer = await editor.send('POST', `${path}${query}`, { data })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }

  it('returns the locales of an entry with the state in each', async () => {
    const { documentId } = await create(ARTICLES, { title: 'One' }, '?status=published')
    const path = `${ARTICLES}/${documentId}`
    await editor.send('PUT', `${path}?locale=fr&status=published`, { data: { title: 'Un' } })
    await editor.send('PUT', `${path}?locale=fr`, { data: { title: 'Une' } })
    await editor.send('PUT', `${path}?locale=de`, { data: { title: 'Eins' } })
    const { data } = (await editor.send('GET', `${path}/locales`)).body
    expect(data.map(({ locale, state }: Json) => [locale, state])).to.deep.equal([
      ['de', 'draft'],
      ['en', 'published'],
      ['fr', 'changed'],
    ])
    const seen = (await bound.send('GET', `${path}/locales`)).body.data
    expect(seen.map(({ locale }: Json) => locale)).to.deep.equal(['fr'])
    const none = await editor.send('GET', `${ARTICLES}/${'a'.repeat(24)}/locales`)
    expect(none.status).to.equal(404)
    const author = await create(AUTHORS, { name: 'Ada' })
    const only = (await editor.send('GET', `${AUTHORS}/${author.documentId}/locales`)).body.data
    expect(only).to.have.length(1)
    expect(only[0]).to.include({ locale: null, state: 'published' })
  })

  it('names the attributes that a publication changes, with the revisions to compare', async () => {
    const { documentId } = await create(ARTICLES, { title: 'One' }, '?status=published')
    const path = `${ARTICLES}/${documentId}`
    const changesIn = async (client: AdminClient): Promise<Json> => {
      const { data } = (await client.send('GET', `${path}/locales`)).body
      return Object.fromEntries(data.map(({ locale, changes }: Json) => [locale, changes]))
    }
    expect(await changesIn(editor)).to.deep.equal({ en: undefined })
    await editor.send('PUT', `${path}?locale=fr&status=published`, { data: { title: 'Un' } })
    const saved = await editor.send('PUT', path, { data: { title: 'Two', sections: [] } })
    await editor.send('PUT', `${path}?locale=fr`, {
      data: { title: 'Deux', sections: [{ __component: 'shared.quote' }] },
    })
    const { en, fr } = await changesIn(editor)
    expect([en.attributes, fr.attributes]).to.deep.equal([['title'], ['title', 'sections']])
    expect(saved.body.meta.locales[0].changes).to.deep.equal(en)
    const history = `/admin/history/api::article.article/${documentId}`
    const diff = `${history}/diff?from=${fr.from}&to=${fr.to}&locale=fr`
    const { data } = (await editor.send('GET', diff)).body
    expect(data.changes.map(({ attribute }: Json) => attribute)).to.deep.equal(fr.attributes)
    await addRole(server, 'readers', [
      'api::article.article.find',
      { action: 'api::article.article.readDrafts', locales: ['fr'] },
    ])
    await addAdministrator(server, 'Rea', ['readers'])
    const reader = await signIn(server, 'rea@example.org')
    expect(await changesIn(reader)).to.deep.equal({ en: undefined, fr })
  })

  it('hides drafts in locales without permission to read drafts', async () => {
    await addRole(server, 'reads-drafts-in-french', [
      'api::article.article.find',
      { action: 'api::article.article.readDrafts', locales: ['fr'] },
      'api::author.author.find',
    ])
    await addAdministrator(server, 'Gaston', ['reads-drafts-in-french'])
    const gaston = await signIn(server, 'gaston@example.org')
    const author = await create(AUTHORS, { name: 'Somebody' })
    const wanted = { title: 'Not yet', author: author.documentId }
    const hidden = await create(ARTICLES, wanted)
    const mixed = await create(ARTICLES, { ...wanted, title: 'Told' }, '?status=published')
    const path = `${ARTICLES}/${mixed.documentId}`
    await editor.send('PUT', path, { data: { title: 'Not told' } })
    const french = { title: 'Bientôt', author: author.documentId }
    const begun = await editor.send('PUT', `${path}?locale=fr`, { data: french })
    expect(begun.status, begun.text).to.equal(200)
    const locales = await gaston.send('GET', `${ARTICLES}/${hidden.documentId}/locales`)
    expect(locales.status, locales.text).to.equal(404)
    const usages = (await gaston.send('GET', `${AUTHORS}/${author.documentId}/usages`)).body.data
    expect(
      usages.map(({ title, locale, statuses }: Json) => [locale, title, ...statuses]),
    ).to.have.deep.members([
      ['en', 'Told', 'published'],
      ['fr', 'Bientôt', 'draft'],
    ])
  })

  it('lists the visible entries that link to an entry, also through components and zones', async () => {
    const ada = await create(AUTHORS, { name: 'Ada L.' })
    const friend = await create(AUTHORS, { name: 'Friend', friend: ada.documentId })
    const direct = await create(ARTICLES, { title: 'By her', author: ada.documentId })
    await editor.send('POST', `${ARTICLES}/${direct.documentId}/actions/publish`)
    const deep = await create(ARTICLES, {
      title: 'Quotes her',
      sections: [
        { __component: 'shared.quote', by: ada.documentId },
        { __component: 'shared.nested', quotes: [{ by: friend.documentId }] },
      ],
    })
    const usages = async (who: AdminClient, of: Json, query = ''): Promise<Json> =>
      (await who.send('GET', `${AUTHORS}/${of.documentId}/usages${query}`)).body
    const shown = ({ data }: Json): readonly string[] =>
      data.map(({ uid, documentId, field, title }: Json) =>
        [uid, documentId, field, title].join(' '),
      )
    const article = 'api::article.article'
    expect(shown(await usages(editor, ada))).to.have.members([
      `${article} ${direct.documentId} author By her`,
      `${article} ${deep.documentId} sections.by Quotes her`,
      `api::author.author ${friend.documentId} friend Friend`,
    ])
    expect(shown(await usages(editor, friend))).to.deep.equal([
      `${article} ${deep.documentId} sections.quotes.by Quotes her`,
    ])
    const page = await usages(editor, ada, '?pagination[page]=2&pagination[pageSize]=2')
    expect(page.data).to.have.length(1)
    expect(page.meta.pagination).to.deep.equal({ page: 2, pageSize: 2, pageCount: 2, total: 3 })
    expect(shown(await usages(bound, ada))).to.deep.equal([
      `api::author.author ${friend.documentId} friend Friend`,
    ])
    const wrong = await editor.send('GET', `${AUTHORS}/x/usages?pagination[pageSize]=101`)
    expect(wrong.status).to.equal(400)
  })

  it('lists the visible entries that link to any of many, without links among them', async () => {
    const [first, second] = [
      await create(AUTHORS, { name: 'First of many' }),
      await create(AUTHORS, { name: 'Second of many' }),
    ]
    const friend = await create(AUTHORS, { name: 'Third of many', friend: first.documentId })
    const one = await create(ARTICLES, { title: 'By the first', author: first.documentId })
    const other = await create(ARTICLES, { title: 'By the second', author: second.documentId })
    const usages = async (who: AdminClient, documentIds: unknown, query = '') =>
      who.send('POST', `${AUTHORS}/usages${query}`, { documentIds })
    const shown = async (who: AdminClient, ...authors: readonly Json[]): Promise<unknown> => {
      const { body } = await usages(
        who,
        authors.map(({ documentId }) => documentId),
      )
      return body.data.map(({ documentId }: Json) => documentId).sort()
    }
    const ids = (...entries: readonly Json[]): readonly string[] =>
      entries.map(({ documentId }) => String(documentId)).sort()
    expect(await shown(editor, first, second)).to.deep.equal(ids(friend, one, other))
    expect(await shown(editor, first, second, friend)).to.deep.equal(ids(one, other))
    expect(await shown(editor, friend)).to.deep.equal([])
    expect(await shown(bound, first, second)).to.deep.equal(ids(friend))
    const page = await usages(editor, ids(first, second), '?pagination[pageSize]=1')
    expect(page.body.meta.pagination).to.include({ pageCount: 3, total: 3 })
    const wrong: readonly unknown[] = [
      undefined,
      [],
      'a',
      [{ $ne: 1 }],
      [first.documentId, first.documentId],
      Array.from({ length: 501 }, (_, at) => `a${at}`),
    ]
    for (const documentIds of wrong) {
      expect((await usages(editor, documentIds)).status).to.equal(400)
    }
    const more = { documentIds: ids(first), more: 1 }
    expect((await editor.send('POST', `${AUTHORS}/usages`, more)).status).to.equal(400)
  })

  it('proposes a free uid, and fills in the uid of a new entry', async () => {
    const path = `${ARTICLES}/uid-proposals`
    const ask = async (body: object): Promise<Json> => {
      const answer = await editor.send('POST', path, body)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.data
    }
    const made = { field: 'slug', data: { title: 'Größe & Übermut' } }
    expect(await ask(made)).to.deep.equal({
      value: 'grosse-ubermut',
      free: true,
      proposal: 'grosse-ubermut',
    })
    const first = await create(ARTICLES, { title: 'Größe & Übermut' })
    expect(first.slug).to.equal('grosse-ubermut')
    const second = await create(ARTICLES, { title: 'größe übermut' }, '?status=published')
    expect(second.slug).to.equal('grosse-ubermut-1')
    expect((await ask(made)).value).to.equal('grosse-ubermut-2')
    const typed = { field: 'slug', value: 'grosse-ubermut' }
    expect(await ask(typed)).to.include({ free: false, proposal: 'grosse-ubermut-2' })
    expect(await ask({ ...typed, documentId: first.documentId })).to.include({ free: true })
    expect(await ask({ ...typed, locale: 'fr' })).to.include({ free: true })
    expect((await ask({ field: 'slug', data: { title: '日本' } })).value).to.equal('article')
    const kept = await create(ARTICLES, { title: 'x', slug: 'mine' })
    expect(kept.slug).to.equal('mine')
    for (const body of [
      { field: 'title', value: 'x' },
      { field: 'slug' },
      { field: 'slug', value: {} },
    ]) {
      expect((await editor.send('POST', path, body)).status).to.equal(400)
    }
    const plain = await server.post('/api/articles', { title: 'Over REST' })
    expect(plain.body.data.slug).to.equal(null)
  })

  it('returns the result for each entry of a bulk action', async () => {
    const made = [
      await create(ARTICLES, { title: 'A', slug: 'a-1' }),
      await create(ARTICLES, { title: 'B', slug: 'b-1' }),
      await create(ARTICLES, { slug: 'c-1' }),
    ]
    const [a, b, untitled] = made.map(({ documentId }) => documentId)
    const gone = 'z'.repeat(24)
    const bulk = async (action: string, documentIds: readonly string[], who = editor) =>
      who.send('POST', `${ARTICLES}/bulk`, { action, documentIds })
    const { data } = (await bulk('publish', [a, untitled, gone, b])).body
    expect(data.map(({ documentId, status }: Json) => [documentId, status])).to.deep.equal([
      [a, 200],
      [untitled, 400],
      [gone, 404],
      [b, 200],
    ])
    expect(data[1].error).to.include({ name: 'ValidationError', code: 'invalid_payload' })
    expect(data[1].error.details.errors[0].path).to.deep.equal(['title'])
    const removed = await bulk('delete', [a, b])
    expect(removed.body.data).to.deep.equal([
      { documentId: a, status: 200 },
      { documentId: b, status: 200 },
    ])
    expect((await editor.send('GET', `${ARTICLES}/${a}`)).status).to.equal(404)
    expect((await bulk('publish', [untitled], bound)).status).to.equal(403)
    for (const body of [
      { action: 'publish', documentIds: [] },
      { action: 'publish', documentIds: [a, a] },
      { action: 'fly', documentIds: [a] },
      { action: 'publish', documentIds: Array.from({ length: 501 }, (_, index) => `d${index}`) },
    ]) {
      expect((await editor.send('POST', `${ARTICLES}/bulk`, body)).status).to.equal(400)
    }
    const unknown = await editor.send('POST', `${AUTHORS}/bulk`, {
      action: 'publish',
      documentIds: [a],
    })
    expect(unknown.status).to.equal(404)
  })

  it('returns the counts and the recent entries of an administrator', async () => {
    const counts = (await editor.send('GET', '/admin/counts')).body.data
    const list = (await editor.send('GET', ARTICLES)).body.meta.pagination.total
    expect(counts['api::article.article']).to.equal(list)
    const { documentId } = await create(ARTICLES, { title: 'Latest' })
    const recent = await editor.send('GET', '/admin/recent')
    expect(recent.status, recent.text).to.equal(200)
    const { mine, differing } = recent.body.data
    expect(mine[0]).to.include({ documentId, title: 'Latest', state: 'draft', locale: 'en' })
    expect(differing[0], JSON.stringify(differing.slice(0, 3))).to.include({ documentId })
    expect(mine.length).to.be.at.most(20)
    const imported = await server.send('POST', ARTICLES, { body: { data: { title: 'Imported' } } })
    const all = (await editor.send('GET', '/admin/recent')).body.data.differing
    expect(all[0], JSON.stringify(all)).to.include({
      documentId: imported.body.data.documentId,
      at: imported.body.data.updatedAt,
    })
    const times = all.map(({ at }: Json) => Date.parse(at))
    expect(times, JSON.stringify(all)).to.deep.equal(
      times.toSorted((a: number, b: number) => b - a),
    )
    const seen = (await bound.send('GET', '/admin/recent')).body.data
    expect(seen.mine).to.deep.equal([])
    const locales = new Set(
      seen.differing.map(({ uid, locale }: Json) => `${uid} ${locale ?? ''}`.trim()),
    )
    locales.delete('api::author.author')
    locales.delete('api::article.article fr')
    expect([...locales]).to.deep.equal([])
    expect((await server.get('/admin/recent')).status).to.equal(404)
  })

  it('lists the other administrators with the same entry open', async () => {
    const { documentId } = await create(ARTICLES, { title: 'Open' })
    const entry = { uid: 'api::article.article', documentId, locale: 'fr' }
    expect((await editor.send('PUT', '/admin/presence', entry)).body.data).to.deep.equal([])
    const { data } = (await bound.send('PUT', '/admin/presence', entry)).body
    expect(data.map(({ name }: Json) => name)).to.deep.equal(['Editor'])
    expect(data[0]).to.have.all.keys('id', 'name', 'since', 'field')
    const elsewhere = { ...entry, locale: 'de' }
    expect((await bound.send('PUT', '/admin/presence', elsewhere)).status).to.equal(403)
    expect((await editor.send('PUT', '/admin/presence', elsewhere)).body.data).to.deep.equal([])
    for (const wrong of [{ ...entry, documentId: 'x' }, { ...entry, uid: {} }, {}]) {
      expect((await editor.send('PUT', '/admin/presence', wrong)).status).to.equal(400)
    }
    const unknown = { ...entry, uid: 'plugin::users-permissions.user' }
    expect((await editor.send('PUT', '/admin/presence', unknown)).status).to.equal(404)
  })
})
