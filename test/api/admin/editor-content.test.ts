import { expect } from 'chai'
import {
  addAdministrator,
  addRole,
  type AdminClient,
  asAdministrator,
  signIn,
} from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', ...LOCALIZED },
      notes: { type: 'text', private: true, ...LOCALIZED },
      secret: { type: 'password' },
      seo: { type: 'component', component: 'shared.seo', private: true, ...LOCALIZED },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      related: { type: 'relation', relation: 'manyToMany', target: 'api::article.article' },
    },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', {
    name: { type: 'string', private: true },
    best: { type: 'relation', relation: 'oneToOne', target: 'api::article.article' },
  }),
  homepage: declare(
    'homepage',
    { title: { type: 'string' } },
    { kind: 'singleType', draftAndPublish: true },
  ),
  'components/shared/seo': { attributes: { words: { type: 'string', private: true } } },
}
const ARTICLE = 'api::article.article'
const ARTICLES = `/admin/content/${ARTICLE}`
const HOMEPAGE = '/admin/content/api::homepage.homepage'
const OF_ARTICLES = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish']

describe('content for editors', () => {
  let server: TestServer
  let editor: AdminClient
  let author: AdminClient

  before(async () => {
    server = await serve('editor_content', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr', 'de'],
      permitted: [`${ARTICLE}.find`, `${ARTICLE}.findOne`],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    await addAdministrator(server, 'Author', ['author'])
    editor = await signIn(server, 'editor@example.org')
    author = await signIn(server, 'author@example.org')
  })
  after(() => server.close())

  const create = async (data: object, query = ''): Promise<Json> => {
    const answer = await editor.send('POST', `${ARTICLES}${query}`, { data })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }

  it('returns the states of the locales and the history with each update', async () => {
    const { documentId } = await create({ title: 'Facts' }, '?status=published')
    const path = `${ARTICLES}/${documentId}`
    const answer = await editor.send('PUT', path, { data: { title: 'More facts' } })
    const { locales, history } = answer.body.meta
    expect(locales).to.deep.equal((await editor.send('GET', `${path}/locales`)).body.data)
    expect(locales[0].state).to.equal('changed')
    const shown = await editor.send('GET', `/admin/history/${ARTICLE}/${documentId}?locale=en`)
    expect(history).to.deep.equal({ data: shown.body.data, meta: shown.body.meta })
    expect(history.data[0].op).to.equal('put')
  })

  it('returns no history to a writer without permission to read drafts', async () => {
    const rights = ['find', 'update', 'publish'].map((verb) => `${ARTICLE}.${verb}`)
    await addRole(server, 'blind', rights)
    await addAdministrator(server, 'Blind', ['blind'])
    const blind = await signIn(server, 'blind@example.org')
    const { documentId } = await create({ title: 'Open' }, '?status=published')
    const path = `${ARTICLES}/${documentId}?status=published`
    const answer = await blind.send('PUT', path, { data: { title: 'Opened' } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.meta.history.data).to.deep.equal([])
  })

  it('creates drafts by default, and shows private attributes except passwords', async () => {
    const data = { title: 'One', notes: 'of mine', secret: 'pass word', seo: { words: 'a' } }
    const { documentId, publishedAt } = await create(data)
    expect(publishedAt).to.equal(null)
    const shown = await editor.send('GET', `${ARTICLES}/${documentId}?populate=*`)
    expect(shown.body.data).to.deep.include({ title: 'One', notes: 'of mine' })
    expect(shown.body.data.seo).to.include({ words: 'a' })
    expect(shown.text).to.not.match(/secret|argon/)
    const path = `${ARTICLES}?filters[notes][$eq]=of mine&fields=notes`.replaceAll(' ', '%20')
    expect((await editor.send('GET', path)).body.data[0].notes).to.equal('of mine')
    await editor.send('POST', `${ARTICLES}/${documentId}/actions/publish`)
    const open = await server.get(`/api/articles/${documentId}?populate=*`, { token: null })
    expect(open.status).to.equal(200)
    expect(open.text).to.not.match(/of mine|notes|seo|words/)
    const asked = await server.get('/api/articles?filters[notes][$eq]=x', { token: null })
    expect(asked.status).to.equal(400)
  })

  it('returns the state of each listed entry with one query', async () => {
    const made = [
      await create({ title: 'Never' }),
      await create({ title: 'Same' }, '?status=published'),
      await create({ title: 'Before' }, '?status=published'),
      await create({ title: 'Back' }, '?status=published'),
    ]
    const [never, same, changed, back] = made.map(({ documentId }) => documentId)
    await editor.send('PUT', `${ARTICLES}/${changed}`, { data: { title: 'After' } })
    await editor.send('PUT', `${ARTICLES}/${back}`, { data: { title: 'For now' } })
    await editor.send('PUT', `${ARTICLES}/${back}`, { data: { title: 'Back' } })
    const commands: string[] = []
    server.onCommand(({ name, command }) => {
      if (String(command[name]).endsWith('_versions')) commands.push(name) // the server refreshes its caches at times
    })
    const counted = async (size: number): Promise<Json> => {
      commands.length = 0
      const sort = `sort=id:desc&fields=title&pagination[pageSize]=${size}`
      return (await editor.send('GET', `${ARTICLES}?${sort}`)).body.meta.states
    }
    const states = await counted(4)
    expect(states).to.deep.equal({
      [never]: 'draft',
      [same]: 'published',
      [changed]: 'changed',
      [back]: 'published',
    })
    const ofFour = commands.length
    expect(ofFour).to.be.above(1)
    await counted(1)
    expect(commands.length).to.equal(ofFour)
    const published = await editor.send('GET', `${ARTICLES}?status=published&fields=title`)
    expect(published.body.meta.states).to.include({ [changed]: 'changed', [same]: 'published' })
    expect(published.body.meta.states).to.not.have.property(never)
  })

  it('returns the state per locale in lists of several locales', async () => {
    const { documentId } = await create({ title: 'English' }, '?status=published')
    await editor.send('PUT', `${ARTICLES}/${documentId}?locale=fr`, { data: { title: 'Français' } })
    const filter = `filters[documentId]=${documentId}`
    const { meta } = (await editor.send('GET', `${ARTICLES}?locale=*&${filter}`)).body
    expect(meta.states).to.deep.equal({
      [`${documentId}:en`]: 'published',
      [`${documentId}:fr`]: 'draft',
    })
  })

  it('supports If-Match like /api', async () => {
    const { documentId } = await create({ title: 'Shared' })
    const path = `${ARTICLES}/${documentId}`
    const tag = (await editor.send('GET', path)).headers.etag ?? ''
    const write = (title: string) =>
      server.send('PUT', path, {
        token: null,
        headers: { cookie: editor.cookie, 'sec-fetch-site': 'same-origin', 'if-match': tag },
        body: { data: { title } },
      })
    expect((await write('first')).status).to.equal(200)
    expect((await write('second')).status).to.equal(412)
  })

  it('refuses every way to publish without the permission', async () => {
    const { documentId } = await create({ title: 'Mine' })
    const path = `${ARTICLES}/${documentId}`
    const data = { title: 'Out' }
    expect((await author.send('PUT', path, { data })).status).to.equal(200)
    for (const [method, target] of [
      ['PUT', `${path}?status=published`],
      ['POST', `${ARTICLES}?status=published`],
      ['POST', `${path}/actions/publish`],
      ['POST', `${path}/actions/unpublish`],
      ['DELETE', path],
    ] as const) {
      const body = target.includes('actions') || method === 'DELETE' ? undefined : { data }
      expect((await author.send(method, target, body)).status, target).to.equal(403)
    }
    expect((await server.get(`/api/articles/${documentId}`, { token: null })).status).to.equal(404)
  })

  it('lists the entry of a single type under its documentId', async () => {
    expect((await editor.send('GET', HOMEPAGE)).body.data).to.deep.equal([])
    const made = await editor.send('POST', HOMEPAGE, { data: { title: 'Home' } })
    expect(made.status, made.text).to.equal(201)
    const { documentId } = made.body.data
    const [listed] = (await editor.send('GET', HOMEPAGE)).body.data
    expect(listed.documentId).to.equal(documentId)
    const path = `${HOMEPAGE}/${documentId}`
    expect((await editor.send('POST', `${path}/actions/publish`)).status).to.equal(200)
    expect((await editor.send('PUT', path, { data: { title: 'House' } })).status).to.equal(200)
    const states = (await editor.send('GET', HOMEPAGE)).body.meta.states
    expect(states).to.deep.equal({ [documentId]: 'changed' })
    const other = `${HOMEPAGE}/${'a'.repeat(24)}`
    expect((await editor.send('PUT', other, { data: { title: 'No' } })).status).to.equal(404)
    expect((await editor.send('DELETE', path)).status).to.equal(204)
  })

  it('responds with 404 for unknown types and unsupported actions', async () => {
    for (const [method, path] of [
      ['GET', '/admin/content/api::nothing.nothing'],
      ['GET', '/admin/content/plugin::users-permissions.user'],
      ['GET', '/admin/content/plugin::upload.file'],
      ['GET', '/admin/content/__proto__'],
      ['POST', `/admin/content/api::tag.tag/${'a'.repeat(24)}/actions/publish`],
    ] as const) {
      expect((await editor.send(method, path)).status, path).to.equal(404)
    }
  })

  describe('an editor limited to some locales', () => {
    let bound: AdminClient
    let documentId: string
    before(async () => {
      const french = OF_ARTICLES.map((verb) => ({ action: `${ARTICLE}.${verb}`, locales: ['fr'] }))
      const tags = ['find', 'findOne', 'create', 'update'].map((verb) => `api::tag.tag.${verb}`)
      await addRole(server, 'french', [...french, ...tags])
      await addAdministrator(server, 'Fleur', ['french'])
      bound = await signIn(server, 'fleur@example.org')
      documentId = (await create({ title: 'ENGLISH' }, '?status=published')).documentId
      const other = (await create({ title: 'ENGLISH TOO' })).documentId
      for (const locale of ['fr', 'de']) {
        const path = `${ARTICLES}/${documentId}?locale=${locale}`
        await editor.send('PUT', path, { data: { title: `in ${locale}`, related: [other] } })
      }
      const tag = { name: 'a tag', best: documentId }
      await editor.send('POST', '/admin/content/api::tag.tag', { data: tag })
    })

    it('reads and writes entries in these locales', async () => {
      const listed = await bound.send('GET', `${ARTICLES}?locale=fr`)
      const titles = listed.body.data.map(({ title }: Json) => title)
      expect(titles).to.include('in fr').and.not.include('ENGLISH')
      const path = `${ARTICLES}/${documentId}`
      const data = { title: 'en français' }
      expect((await bound.send('PUT', `${path}?locale=fr`, { data })).status).to.equal(200)
      const made = await bound.send('POST', ARTICLES, { data: { ...data, locale: 'fr' } })
      expect(made.status, made.text).to.equal(201)
      expect(made.body.data.locale).to.equal('fr')
    })

    it('cannot read, write or delete entries in other locales', async () => {
      const path = `${ARTICLES}/${documentId}`
      const data = { title: 'taken' }
      for (const [method, target, body] of [
        ['GET', ARTICLES],
        ['GET', `${ARTICLES}?locale=en`],
        ['GET', `${ARTICLES}?locale=*`],
        ['GET', `${ARTICLES}?locale[]=fr&locale[]=en`],
        ['GET', `${ARTICLES}?locale[x]=en`],
        ['GET', `${ARTICLES}?locale=fr&fallbackLocale=en`],
        ['GET', `${ARTICLES}?filters[locale]=en`],
        ['GET', path],
        ['GET', `${path}?locale=fr&fallbackLocale=*`],
        ['PUT', path, { data }],
        ['PUT', `${path}?locale=de`, { data }],
        ['PUT', `${path}?locale=&status=draft`, { data: { ...data, locale: 'fr' } }],
        ['POST', ARTICLES, { data }],
        ['POST', `${ARTICLES}?locale=de`, { data: { ...data, locale: 'fr' } }],
        ['POST', `${path}/actions/publish`],
        ['POST', `${path}/actions/publish?locale=fr,en`],
        ['POST', `${path}/actions/unpublish?locale=*`],
        ['DELETE', path],
        ['DELETE', `${path}?locale=*`],
        ['DELETE', `${path}?locale[]=fr&locale[]=de`],
      ] as const) {
        const answer = await bound.send(method, target, body)
        expect(answer.status, `${method} ${target} ${answer.text}`).to.equal(403)
      }
      const english = await editor.send('GET', path)
      expect(english.body.data.title).to.equal('ENGLISH')
    })

    it('sees no other locale through populate, filters and sort', async () => {
      const tags = '/admin/content/api::tag.tag'
      for (const target of [
        `${ARTICLES}?locale=fr&populate=localizations`,
        `${ARTICLES}?locale=fr&populate[related][populate]=localizations`,
        `${ARTICLES}?locale=fr&populate=*`,
        `${tags}?populate=*`,
        `${tags}?populate=best`,
        `${tags}?locale=en&populate=best`,
        `${tags}?filters[best][title][$startsWith]=ENG`,
        `${tags}?sort=best.title`,
        `${ARTICLES}?locale=fr&filters[localizations][title][$startsWith]=ENG`,
      ]) {
        const answer = await bound.send('GET', target)
        expect(answer.status, `${target} ${answer.text}`).to.be.oneOf([200, 400])
        expect(answer.text, target).to.not.match(/ENGLISH|in de/)
        const all = answer.body.data as readonly Json[] | null
        if (target.includes('ENG')) expect(all ?? [], target).to.deep.equal([])
      }
      const seen = await bound.send('GET', `${tags}?locale=fr&populate=best`)
      expect(seen.body.data[0].best.title).to.equal('en français')
    })

    it('cannot connect an entry of another locale', async () => {
      const tags = '/admin/content/api::tag.tag'
      const data = { name: 'mine', best: documentId }
      expect((await bound.send('POST', tags, { data })).status).to.equal(400)
    })
  })

  it('returns the complete declaration of a type', async () => {
    const type = (await author.send('GET', `/admin/content-types/${ARTICLE}`)).body.data
    expect(type).to.deep.include({
      uid: ARTICLE,
      kind: 'collectionType',
      draftAndPublish: true,
      localized: true,
      titleField: 'title',
      searched: false,
      adopted: false,
      description: '',
    })
    const types = (await author.send('GET', '/admin/content-types')).body.data
    expect(types.find(({ uid }: Json) => uid === ARTICLE).titleField).to.equal('title')
    expect(type.attributes.notes).to.deep.equal({
      type: 'text',
      private: true,
      required: false,
      localized: true,
      unique: false,
    })
    expect(type.attributes.tags).to.include({ relation: 'manyToMany', target: 'api::tag.tag' })
    const text = JSON.stringify(type)
    expect(text).to.not.include(server.contentTypesDir)
    const components = (await author.send('GET', '/admin/components')).body.data
    expect(components.map(({ uid }: Json) => uid)).to.deep.equal(['shared.seo'])
    const none = await author.send('GET', '/admin/content-types/api::x.x')
    expect(none.status).to.equal(404)
  })

  it('responds with 401 without a session', async () => {
    const nobody = asAdministrator(server, 'quire_admin=nothing')
    expect((await nobody.send('GET', ARTICLES)).status).to.equal(401)
    expect((await nobody.send('GET', '/admin/content/api::no.no')).status).to.equal(401)
  })
})
