import { expect } from 'chai'
import { declare, type Json, type Sent, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { localized: true, draftAndPublish: true }
const CANARY = 'canaryword'

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      area: { type: 'enumeration', enum: ['ios', 'web'] },
      [`${CANARY}Attribute`]: { type: 'string', private: true },
      sections: { type: 'dynamiczone', components: ['shared.quote'] },
      seo: { type: 'component', component: 'shared.seo' },
      cover: { type: 'media' },
      gallery: { type: 'media', multiple: true },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      main: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
    },
    LOCALIZED,
  ),
  tag: declare('tag', {
    name: { type: 'string' },
    rank: { type: 'integer' },
    [`${CANARY}Rank`]: { type: 'integer', private: true },
  }),
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
  'components/shared/quote': { attributes: { text: { type: 'text' }, views: { type: 'integer' } } },
  'components/shared/seo': { attributes: { title: { type: 'string' } } },
  'queries/feed': {
    type: 'article',
    parameters: { area: { type: 'enumeration', enum: ['ios', 'web'] } },
    filters: { area: { $eq: { $param: 'area' } } },
    fields: ['title'],
    populate: {
      tags: { fields: ['name'], sort: 'name' },
      main: true,
      seo: true,
      cover: true,
      gallery: true,
      sections: { on: { 'shared.quote': { fields: ['text'] } } },
    },
    sort: 'title',
  },
  'queries/counted': {
    type: 'article',
    fields: ['title'],
    populate: { tags: { count: true }, main: 'ids', localizations: { fields: ['locale'] } },
    pagination: { cursor: { $param: 'after' }, pageSize: 1 },
    parameters: { after: { type: 'string', default: '' } },
  },
  'queries/article-by-title': {
    type: 'article',
    single: true,
    parameters: { title: { type: 'string', required: true } },
    filters: { title: { $eq: { $param: 'title' } } },
    fields: ['area'],
  },
  'queries/start': { type: 'homepage' },
}

describe('GET /api/_q/<name>', () => {
  let server: TestServer
  let draft: string
  before(async () => {
    server = await serve('named_queries', {
      contentTypes: CONTENT_TYPES,
      locales: ['de'],
      environment: { RATE_LIMIT: 'off', CACHE_STALE_MS: '60000' },
      permitted: ['feed', 'counted', 'article-by-title', 'start'].map((name) => `query::${name}`),
    })
    const secret = { [`${CANARY}Rank`]: 7 }
    const tag = await create('/api/tags', { name: 'b', rank: 1, ...secret })
    const other = await create('/api/tags', { name: 'a', rank: 2, ...secret })
    const article = {
      title: 'One',
      area: 'ios',
      [`${CANARY}Attribute`]: CANARY,
      sections: [{ __component: 'shared.quote', text: 'q', views: 3 }],
      seo: { title: 's' },
      tags: [tag, other],
      main: tag,
    }
    const one = await create('/api/articles', article)
    const german = await server.put(`/api/articles/${one}?locale=de`, { title: 'Eins' })
    expect(german.status, german.text).to.equal(200)
    await create('/api/articles', { title: 'Two', area: 'web' })
    draft = await create('/api/articles?status=draft', { title: 'Draft', area: 'ios' })
  })
  after(() => server.close())

  const create = async (path: string, data: object): Promise<string> => {
    const answer = await server.post(path, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }

  const ask = (target: string, sent: Sent = {}) =>
    server.get(`/api/_q/${target}`, { token: null, ...sent })

  const titles = async (target: string, sent: Sent = {}): Promise<readonly string[]> => {
    const answer = await ask(target, sent)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data.map(({ title }: Json) => title)
  }

  it('returns exactly the selection of the file to a caller without other permissions', async () => {
    for (const path of ['/api/articles', '/api/tags', '/api/upload/files', '/api/homepage']) {
      expect((await server.get(path, { token: null })).status, path).to.equal(403)
    }
    const { body, text } = await ask('feed?area=ios')
    const [entry] = body.data
    expect(body.data).to.have.length(1)
    expect(entry).to.have.all.keys(
      'id',
      'documentId',
      'title',
      'tags',
      'main',
      'seo',
      'cover',
      'gallery',
      'sections',
    )
    expect(entry.tags.map(({ name }: Json) => name)).to.deep.equal(['a', 'b'])
    expect(entry.tags[0]).to.have.all.keys('id', 'documentId', 'name')
    expect(entry.main).to.include({ name: 'b', rank: 1 })
    expect(entry.sections[0]).to.deep.include({ __component: 'shared.quote', text: 'q' })
    expect(entry.sections[0]).to.not.have.property('views')
    expect(text).to.not.include(CANARY)
  })

  it('returns counts, ids and cursors as described', async () => {
    const first = await ask('counted')
    expect(first.body.data[0]).to.deep.include({ title: 'One', tags: { count: 2 } })
    expect(first.body.data[0].main).to.be.a('string')
    expect(first.body.data[0].localizations[0]).to.include({ locale: 'de' })
    const { nextCursor } = first.body.meta.pagination
    expect(await titles(`counted?after=${nextCursor}`)).to.deep.equal(['Two'])
    expect((await ask('counted?after=nonsense')).status).to.equal(400)
  })

  it('returns one entry if the file says so, or a 404', async () => {
    const one = await ask('article-by-title?title=One')
    expect(one.body).to.deep.include({ meta: {} })
    expect(one.body.data).to.include({ area: 'ios' })
    expect((await ask('article-by-title?title=Zero')).status).to.equal(404)
    expect((await ask('start')).status).to.equal(404)
    await server.put('/api/homepage', { title: 'Welcome' })
    expect((await ask('start')).body.data).to.include({ title: 'Welcome' })
  })

  it('refuses unknown and invalid parameters', async () => {
    for (const [target, message] of [
      ['feed?aera=ios', 'Invalid key aera; did you mean area?'],
      ['feed?filters[title]=x', 'Invalid key filters'],
      ['feed?populate=*', 'Invalid key populate'],
      ['feed?area=tv', 'area: expected one of ios, web'],
      ['feed?area[$ne]=ios', 'area: expected one value'],
      ['feed?locale=fr', 'locale: fr is not one of en, de'],
      ['article-by-title', 'title: is required'],
      ['article-by-title?title[]=One&title[]=Two', 'title: expected one value'],
    ] as const) {
      const { status, body } = await ask(target)
      expect([status, body.error.message], target).to.deep.equal([400, message])
    }
  })

  it('reads the requested locale, with fallbacks', async () => {
    expect(await titles('feed?locale=de')).to.deep.equal(['Eins'])
    expect(await titles('feed?locale=de&fallbackLocale=en')).to.deep.equal(['Eins', 'Two'])
  })

  it('shows drafts only to callers with permission to read them', async () => {
    expect((await ask('feed?status=draft')).status).to.equal(403)
    const drafts = await server.get('/api/_q/feed?status=draft')
    expect(drafts.body.data.map(({ documentId }: Json) => documentId)).to.include(draft)
    expect(await titles('feed')).to.deep.equal(['One', 'Two'])
  })

  it('requires the permission of the query, even if all others are granted', async () => {
    const all: readonly string[] = (await server.get('/admin/actions')).body.data.map(
      ({ name }: Json) => name,
    )
    const others = all.filter((name) => name !== 'query::feed')
    const body = { name: 'custom', type: 'custom', permissions: others }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    const { accessKey } = made.body.data
    expect((await ask('feed', { token: accessKey })).status).to.equal(403)
    expect((await ask('counted', { token: accessKey })).status).to.equal(200)
    const reader = { name: 'reader', type: 'read-only' }
    const key = (await server.send('POST', '/admin/api-tokens', { body: reader })).body.data
    expect((await ask('feed', { token: key.accessKey })).status).to.equal(200)
    expect((await ask('nothing')).status).to.equal(404)
    expect((await server.send('POST', '/api/_q/feed', { body: {} })).status).to.equal(405)
  })

  it('is permitted in the roles of the dialect', async () => {
    const roles = (await server.get('/api/users-permissions/roles')).body.roles
    const { id } = roles.find(({ type }: Json) => type === 'authenticated')
    const { role } = (await server.get(`/api/users-permissions/roles/${id}`)).body
    const { query } = role.permissions.query.controllers
    expect(query.feed).to.deep.equal({ enabled: false, policy: '' })
    query.feed.enabled = true
    const put = await server.send('PUT', `/api/users-permissions/roles/${id}`, { body: role })
    expect(put.status, put.text).to.equal(200)
    const { data } = (await server.get('/admin/roles/authenticated')).body
    expect(data.permissions).to.include('query::feed')
  })

  it('reads from memory on the second request, and shows later writes', async () => {
    const first = await ask('feed?area=web')
    const etag = String(first.headers.etag)
    const read: unknown[] = []
    // Only permissions and locales are read again every second.
    server.onCommand(({ name, command }) => {
      if (String(command[name]).endsWith('_versions')) read.push(command)
    })
    const again = await ask('feed?area=web')
    const known = await ask('feed?area=web', { headers: { 'If-None-Match': etag } })
    expect([again.text, known.status, read]).to.deep.equal([first.text, 304, []])
    await create('/api/articles', { title: 'Three', area: 'web' })
    expect(await titles('feed?area=web')).to.deep.equal(['Three', 'Two'])
  })

  it('is described exactly to callers that may run it', async () => {
    const { paths, components } = (await server.get('/api/openapi.json', { token: null })).body
    expect(Object.keys(paths)).to.deep.equal([
      '/api/_q/article-by-title',
      '/api/_q/counted',
      '/api/_q/feed',
      '/api/_q/start',
    ])
    expect(JSON.stringify([paths, components])).to.not.include(CANARY)
    const { parameters } = paths['/api/_q/feed'].get
    expect(parameters.map(({ name }: Json) => name)).to.deep.equal([
      'area',
      'locale',
      'fallbackLocale',
      'publicationFilter',
      'If-None-Match',
      'Quire-After',
    ])
    const { data } = components.schemas['Feed_Query'].properties
    expect(data.items.required).to.include.members(['title', 'tags', 'sections'])
  })
})
