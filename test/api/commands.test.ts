import { expect } from 'chai'
import { testUri } from '../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts'
import { declare, serve, type TestServer } from './server.ts'

/** The row of the log, and the commit. */
const LOGGED = ['insert', 'commitTransaction']
const CREATION = ['insert', ...LOGGED]

describe('commands that a request costs', () => {
  let proxy: DatabaseProxy
  let server: TestServer
  let documentId: string

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
  })

  after(async () => {
    await server.close()
    await proxy.close()
  })

  /** What goes through beside the server's own upkeep: locales and permissions are read anew each second. */
  async function cost(
    request: () => Promise<{ readonly status: number }>,
  ): Promise<readonly string[]> {
    await server.get('/api/notes?pagination[pageSize]=1', { token: null }) // whatever is kept is fresh
    proxy.takeCommands()
    const { status } = await request()
    expect(status).to.be.below(300)
    return proxy.takeCommands()
  }

  const UNIQUE: readonly (readonly [string, (documentId: string) => string, number])[] = [
    ['a slug', () => 'filters[slug][$eq]=a', 1],
    ['a slug that nothing has', () => 'filters[slug][$eq]=b&sort=rank:desc', 0],
    ['two slugs', () => 'filters[slug][$in]=a&filters[slug][$in]=b', 1],
    ['a documentId', (id) => `filters[documentId]=${id}&sort=tag.name`, 1],
    ['the documentId of a draft', (id) => `filters[documentId]=${id}&status=draft`, 1],
  ]
  for (const [what, query, total] of UNIQUE) {
    it(`a counted list by ${what} is one find`, async () => {
      const target = `/api/notes?${query(documentId)}`
      expect(await cost(() => server.get(target))).to.deep.equal(['find'])
      const { body } = await server.get(target)
      expect(body.data).to.have.length(total)
      expect(body.meta.pagination).to.include({ total, pageCount: total })
    })
  }

  it('what must be unique in a hundred components costs what it costs in one', async () => {
    const shelf = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ isbn: `${prefix}${n}` }))
    await server.post('/api/shelfs', { books: shelf('first', 1) })
    const one = await cost(() => server.post('/api/shelfs', { books: shelf('one', 1) }))
    const many = await cost(() => server.post('/api/shelfs', { books: shelf('many', 100) }))
    expect(many.length, many.join(' ')).to.be.at.most(one.length + 1) // ids of components are taken at times
    const taken = await server.post('/api/shelfs', {
      books: [...shelf('new', 150), ...shelf('many', 2), ...shelf('new', 1)],
    })
    expect(taken.status).to.equal(400)
    const paths = taken.body.error.details.errors.map(({ path }: { path: string[] }) => path[1])
    expect(paths).to.deep.equal(['150', '151', '152'])
  })

  it('counts a list of what is unique beyond its page', async () => {
    const { body } = await server.post('/api/notes', { text: 'b', slug: 'other' })
    const both = `filters[slug][$in]=a&filters[slug][$in]=other&pagination[pageSize]=1`
    const { body: page } = await server.get(`/api/notes?${both}`)
    expect(page.meta.pagination).to.include({ total: 2, pageCount: 2 })
    await server.delete(`/api/notes/${body.data.documentId}`)
  })

  const lists: readonly (readonly [string, string])[] = [
    ['everything', ''],
    ['a filter', 'filters[text][$containsi]=a&filters[rank][$gte]=0'],
    ['nested filters', 'filters[$or][0][$not][text]=b&filters[$or][1][rank][$in]=1'],
    ['a search', '_q=a'],
    ['a sort', 'sort=rank:desc,text'],
    ['a page', 'pagination[page]=3&pagination[pageSize]=100'],
    ['drafts', 'status=draft'],
    ['a cursor', 'pagination[cursor]='],
  ]
  for (const [what, query] of lists) {
    it(`a list of ${what} is one find and one count`, async () => {
      const commands = await cost(() => server.get(`/api/notes?${query}`))
      expect([...commands].sort()).to.deep.equal(['aggregate', 'find'])
    })

    it(`a list of ${what} without a count is one find`, async () => {
      const target = `/api/notes?${query}&pagination[withCount]=false`
      expect(await cost(() => server.get(target))).to.deep.equal(['find'])
    })
  }

  it('fallback locales cost no command more', async () => {
    const others: string[] = []
    for (const locale of ['en', 'fr', 'de']) {
      const made = await server.post(`/api/pages?locale=${locale}`, { title: locale, others })
      others.push(made.body.data.documentId)
    }
    const list = '/api/pages?populate[others][populate]=others&locale=de'
    const plain = await cost(() => server.get(list))
    expect([...plain].sort()).to.deep.equal(['aggregate', 'find', 'find'])
    const fallbacks = await cost(() => server.get(`${list}&fallbackLocale=fr,en`))
    // One more level is shown, as the targets of what is shown are there now.
    expect(fallbacks).to.deep.equal(Array.from({ length: 4 }, () => 'aggregate'))
    const filter = 'filters[others][title]=en'
    expect(await cost(() => server.get(`/api/pages?locale=de&${filter}`))).to.have.length(3)
    expect(
      await cost(() => server.get(`/api/pages?locale=de&fallbackLocale=*&${filter}`)),
    ).to.have.length(3)
    const one = `/api/pages/${others[0] ?? ''}?locale=fr&fallbackLocale=en`
    expect(await cost(() => server.get(one))).to.deep.equal(['aggregate'])
  })

  it('a list in the order of a relation is seven commands at most', async () => {
    const commands = await cost(() => server.get('/api/notes?sort=tag.name,tag.id:desc,rank'))
    expect(commands.length, commands.join()).to.be.at.most(7)
  })

  it('one entry is one find', async () => {
    expect(await cost(() => server.get(`/api/notes/${documentId}`))).to.deep.equal(['find'])
    expect(await cost(() => server.get('/api/homepage'))).to.deep.equal(['find'])
  })

  it('what cannot be is no command at all', async () => {
    await server.get('/api/notes?pagination[pageSize]=1', { token: null })
    proxy.takeCommands()
    for (const path of ['/api/notes/x', '/api/nope', '/api/notes?filters[nope]=1']) {
      expect((await server.get(path)).status).to.be.oneOf([400, 404])
    }
    expect((await server.get('/api/tags', { token: null })).status).to.equal(403)
    expect(proxy.takeCommands()).to.deep.equal([])
  })

  it('a creation without drafts is one write and its commit, where a value is unique as well', async () => {
    expect(await cost(() => server.post('/api/tags', { name: 'b' }))).to.deep.equal(CREATION)
    expect(await cost(() => server.post('/api/codes', { name: 'b' }))).to.deep.equal(CREATION)
    const again = await server.post('/api/codes', { name: 'b' })
    expect([again.status, again.body.error.details.errors[0].path]).to.deep.equal([400, ['name']])
  })

  it('a creation that publishes is one write and its commit', async () => {
    const commands = await cost(() => server.post('/api/notes', { text: 'b', rank: 2, slug: 'b' }))
    expect(commands).to.deep.equal(CREATION)
  })

  it('a change without drafts is one write and its commit', async () => {
    expect(await cost(() => server.put('/api/homepage', { text: 'b' }))).to.deep.equal([
      'findAndModify',
      ...LOGGED,
    ])
  })

  it('a creation and a publication, each by a request of its own, are eight', async () => {
    const { body } = await server.post('/api/notes?status=draft', { text: 'c', slug: 'c' })
    const path = `/api/notes/${body.data.documentId}/actions/publish`
    const commands = [
      ...(await cost(() => server.post('/api/notes?status=draft', { text: 'd', slug: 'd' }))),
      ...(await cost(() => server.send('POST', path))),
    ]
    expect(commands).to.deep.equal([
      ...CREATION,
      'find', // draft and published version
      'findAndModify', // the draft
      'findAndModify', // the published version
      ...LOGGED,
    ])
  })

  it('a change that publishes is six commands at most', async () => {
    const commands = await cost(() => server.put(`/api/notes/${documentId}`, { rank: 3 }))
    expect(commands.length, commands.join()).to.be.at.most(6)
  })

  it('a change locks the document only where it reaches other locales', async () => {
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
      'update', // what locales share
      ...LOGGED,
    ])
  })
})
