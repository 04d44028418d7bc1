import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { testUri } from '../../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

/** The row of the log, and the commit. */
const LOGGED = ['insert', 'commitTransaction']

async function canWriteInBulk(uri: string): Promise<boolean> {
  const client = await MongoClient.connect(uri)
  const { bulkWrite } = await client.db('admin').command({ hello: 1 })
  await client.close()
  return bulkWrite === true
}

describe('database commands per request', () => {
  let proxy: DatabaseProxy
  let server: TestServer
  let documentId: string
  let creation: readonly string[]

  before(async () => {
    proxy = await openDatabaseProxy(await testUri())
    server = await serve('commands', {
      uri: proxy.uri,
      contentTypes: {
        note: declare(
          'note',
          {
            text: { type: 'string' },
            rank: { type: 'integer' },
            slug: { type: 'uid' },
            tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
          },
          { draftAndPublish: true },
        ),
        tag: declare('tag', { name: { type: 'string' } }),
        code: declare('code', { name: { type: 'string', unique: true } }),
        page: declare(
          'page',
          {
            title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
            views: { type: 'integer' },
            others: { type: 'relation', relation: 'manyToMany', target: 'api::page.page' },
          },
          { localized: true, draftAndPublish: true },
        ),
        homepage: declare('homepage', { text: { type: 'string' } }, { kind: 'singleType' }),
        shelf: declare('shelf', {
          books: { type: 'component', component: 'shared.book', repeatable: true },
        }),
        'components/shared/book': { attributes: { isbn: { type: 'string', unique: true } } },
      },
      permitted: ['api::note.note.find'],
      locales: ['fr', 'de'],
    })
    documentId = (await server.post('/api/notes', { text: 'a', rank: 1, slug: 'a' })).body.data
      .documentId
    for (const name of ['tags', 'codes']) await server.post(`/api/${name}`, { name: 'first' })
    await server.put('/api/homepage', { text: 'a' })
    const hasBulkWrite = await canWriteInBulk(proxy.uri)
    creation = hasBulkWrite ? ['bulkWrite', 'commitTransaction'] : ['insert', ...LOGGED]
  })

  after(async () => {
    await server.close()
    await proxy.close()
  })

  /** The commands of a request, without the refresh of locales and permissions once per second. */
  async function cost(
    request: () => Promise<{ readonly status: number }>,
  ): Promise<readonly string[]> {
    await server.get('/api/notes?pagination[pageSize]=1', { token: null }) // refreshes the caches
    proxy.takeCommands()
    const { status } = await request()
    expect(status).to.be.below(300)
    return proxy.takeCommands()
  }

  const UNIQUE: readonly (readonly [string, (documentId: string) => string, number])[] = [
    ['a slug', () => 'filters[slug][$eq]=a', 1],
    ['an unused slug', () => 'filters[slug][$eq]=b&sort=rank:desc', 0],
    ['two slugs', () => 'filters[slug][$in]=a&filters[slug][$in]=b', 1],
    ['a documentId', (id) => `filters[documentId]=${id}&sort=tag.name`, 1],
    ['the documentId of a draft', (id) => `filters[documentId]=${id}&status=draft`, 1],
  ]
  for (const [label, query, total] of UNIQUE) {
    it(`runs one find for a counted list by ${label}`, async () => {
      const target = `/api/notes?${query(documentId)}`
      expect(await cost(() => server.get(target))).to.deep.equal(['find'])
      const { body } = await server.get(target)
      expect(body.data).to.have.length(total)
      expect(body.meta.pagination).to.include({ total, pageCount: total })
    })
  }

  it('runs as many commands for a hundred unique values in components as for one', async () => {
    const shelf = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ isbn: `${prefix}${n}` }))
    await server.post('/api/shelfs', { books: shelf('first', 1) })
    const one = await cost(() => server.post('/api/shelfs', { books: shelf('one', 1) }))
    const many = await cost(() => server.post('/api/shelfs', { books: shelf('many', 100) }))
    expect(many.length, many.join(' ')).to.be.at.most(one.length + 1) // some requests also reserve ids for components
    const taken = await server.post('/api/shelfs', {
      books: [...shelf('new', 150), ...shelf('many', 2), ...shelf('new', 1)],
    })
    expect(taken.status).to.equal(400)
    const paths = taken.body.error.details.errors.map(({ path }: { path: string[] }) => path[1])
    expect(paths).to.deep.equal(['150', '151', '152'])
  })

  it('counts a list by unique values across its pages', async () => {
    const { body } = await server.post('/api/notes', { text: 'b', slug: 'other' })
    const both = `filters[slug][$in]=a&filters[slug][$in]=other&pagination[pageSize]=1`
    const { body: page } = await server.get(`/api/notes?${both}`)
    expect(page.meta.pagination).to.include({ total: 2, pageCount: 2 })
    await server.delete(`/api/notes/${body.data.documentId}`)
  })

  const lists: readonly (readonly [string, string])[] = [
    ['no parameters', ''],
    ['a filter', 'filters[text][$containsi]=a&filters[rank][$gte]=0'],
    ['nested filters', 'filters[$or][0][$not][text]=b&filters[$or][1][rank][$in]=1'],
    ['a search', '_q=a'],
    ['a sort', 'sort=rank:desc,text'],
    ['a page', 'pagination[page]=3&pagination[pageSize]=100'],
    ['drafts', 'status=draft'],
    ['a cursor', 'pagination[cursor]='],
  ]
  for (const [label, query] of lists) {
    it(`runs one find and one count for a list with ${label}`, async () => {
      const commands = await cost(() => server.get(`/api/notes?${query}`))
      expect([...commands].sort()).to.deep.equal(['aggregate', 'find'])
    })

    it(`runs one find for a list with ${label} and without a count`, async () => {
      const target = `/api/notes?${query}&pagination[withCount]=false`
      expect(await cost(() => server.get(target))).to.deep.equal(['find'])
    })
  }

  it('runs no extra command for fallback locales', async () => {
    const others: string[] = []
    for (const locale of ['en', 'fr', 'de']) {
      const made = await server.post(`/api/pages?locale=${locale}`, { title: locale, others })
      others.push(made.body.data.documentId)
    }
    const list = '/api/pages?populate[others][populate]=others&locale=de'
    const plain = await cost(() => server.get(list))
    expect([...plain].sort()).to.deep.equal(['aggregate', 'find', 'find'])
    const fallbacks = await cost(() => server.get(`${list}&fallbackLocale=fr,en`))
    // With fallbacks the related entries exist, so one more level is populated.
    expect(fallbacks).to.deep.equal(Array.from({ length: 4 }, () => 'aggregate'))
    const filter = 'filters[others][title]=en'
    expect(await cost(() => server.get(`/api/pages?locale=de&${filter}`))).to.have.length(3)
    expect(
      await cost(() => server.get(`/api/pages?locale=de&fallbackLocale=*&${filter}`)),
    ).to.have.length(3)
    const one = `/api/pages/${others[0] ?? ''}?locale=fr&fallbackLocale=en`
    expect(await cost(() => server.get(one))).to.deep.equal(['aggregate'])
  })

  it('runs at most seven commands for a list sorted by a relation', async () => {
    const commands = await cost(() => server.get('/api/notes?sort=tag.name,tag.id:desc,rank'))
    expect(commands.length, commands.join()).to.be.at.most(7)
  })

  it('runs one find for one entry', async () => {
    expect(await cost(() => server.get(`/api/notes/${documentId}`))).to.deep.equal(['find'])
    expect(await cost(() => server.get('/api/homepage'))).to.deep.equal(['find'])
  })

  it('runs no command for an invalid or forbidden request', async () => {
    await server.get('/api/notes?pagination[pageSize]=1', { token: null })
    proxy.takeCommands()
    for (const path of ['/api/notes/x', '/api/nope', '/api/notes?filters[nope]=1']) {
      expect((await server.get(path)).status).to.be.oneOf([400, 404])
    }
    expect((await server.get('/api/tags', { token: null })).status).to.equal(403)
    expect(proxy.takeCommands()).to.deep.equal([])
  })

  it('runs one write and its commit to create an entry without drafts, even with a unique value', async () => {
    expect(await cost(() => server.post('/api/tags', { name: 'b' }))).to.deep.equal(creation)
    expect(await cost(() => server.post('/api/codes', { name: 'b' }))).to.deep.equal(creation)
    const again = await server.post('/api/codes', { name: 'b' })
    expect([again.status, again.body.error.details.errors[0].path]).to.deep.equal([400, ['name']])
  })

  it('runs one write and its commit to create and publish an entry', async () => {
    const commands = await cost(() => server.post('/api/notes', { text: 'b', rank: 2, slug: 'b' }))
    expect(commands).to.deep.equal(creation)
  })

  it('runs one write and its commit to change an entry without drafts', async () => {
    expect(await cost(() => server.put('/api/homepage', { text: 'b' }))).to.deep.equal([
      'findAndModify',
      ...LOGGED,
    ])
  })

  it('runs at most eight commands to create and publish an entry in two requests', async () => {
    const { body } = await server.post('/api/notes?status=draft', { text: 'c', slug: 'c' })
    const path = `/api/notes/${body.data.documentId}/actions/publish`
    const commands = [
      ...(await cost(() => server.post('/api/notes?status=draft', { text: 'd', slug: 'd' }))),
      ...(await cost(() => server.send('POST', path))),
    ]
    expect(commands).to.deep.equal([
      ...creation,
      'find', // draft and published version
      'findAndModify', // the draft
      'findAndModify', // the published version
      ...LOGGED,
    ])
  })

  it('runs at most six commands to change and publish an entry', async () => {
    const commands = await cost(() => server.put(`/api/notes/${documentId}`, { rank: 3 }))
    const most = creation.includes('bulkWrite') ? 3 : 6
    expect(commands.length, commands.join()).to.be.at.most(most)
  })

  it('locks the document only if the change affects other locales', async () => {
    const created = await server.post('/api/pages', { title: 'a' })
    const path = `/api/pages/${created.body.data.documentId}`
    await server.put(`${path}?locale=fr`, { title: 'b' })
    const draft = `${path}?locale=fr&status=draft`
    expect(await cost(() => server.put(draft, { title: 'c' }))).to.deep.equal([
      'findAndModify',
      ...LOGGED,
    ])
    expect(await cost(() => server.put(`${path}?locale=fr`, { title: 'd' }))).to.deep.equal([
      'find', // the version to lock
      'findAndModify', // the lock
      'findAndModify', // the draft
      'findAndModify', // the published version
      'update', // attributes that locales share
      ...LOGGED,
    ])
  })
})
