import { expect } from 'chai'
import { testUri } from '../test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts'
import { declare, serve, type TestServer } from './server.ts'

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
          { text: { type: 'string' }, rank: { type: 'integer' }, slug: { type: 'uid' } },
          { draftAndPublish: true },
        ),
        tag: declare('tag', { name: { type: 'string' } }),
        code: declare('code', { name: { type: 'string', unique: true } }),
        homepage: declare('homepage', { text: { type: 'string' } }, { kind: 'singleType' }),
      },
      permitted: ['api::note.note.find'],
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

  it('a creation without drafts is one write, and one look where a value is unique', async () => {
    expect(await cost(() => server.post('/api/tags', { name: 'b' }))).to.deep.equal(['insert'])
    expect(await cost(() => server.post('/api/codes', { name: 'b' }))).to.deep.equal([
      'find',
      'insert',
    ])
  })

  it('a creation that publishes is six commands at most', async () => {
    const commands = await cost(() => server.post('/api/notes', { text: 'b', rank: 2, slug: 'b' }))
    expect(commands.length, commands.join()).to.be.at.most(6)
    expect(commands).to.include('commitTransaction')
  })

  it('a change without drafts is one write', async () => {
    expect(await cost(() => server.put('/api/homepage', { text: 'b' }))).to.have.length(1)
  })

  it('a change that publishes is six commands at most', async () => {
    const commands = await cost(() => server.put(`/api/notes/${documentId}`, { rank: 3 }))
    expect(commands.length, commands.join()).to.be.at.most(6)
  })
})
