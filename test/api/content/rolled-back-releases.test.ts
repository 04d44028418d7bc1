import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const TITLE = { title: { type: 'string' } }

describe('a release after a roll-back', () => {
  let database: string | undefined
  const opened: TestServer[] = []

  beforeEach(() => (database = undefined))
  afterEach(async () => {
    for (const server of opened.splice(0).toReversed()) await server.close()
  })

  async function start(contentTypes: Readonly<Record<string, object>>): Promise<TestServer> {
    const server = await serve('rolled_back', {
      contentTypes,
      ...(database !== undefined && { environment: { MONGODB_DATABASE: database } }),
    })
    database = server.database
    opened.push(server)
    return server
  }

  const titles = async (server: TestServer, path: string): Promise<readonly unknown[]> => {
    const { status, text, body } = await server.get(`${path}?sort=id`)
    expect(status, text).to.equal(200)
    return body.data.map(({ title }: { readonly title: unknown }) => title)
  }

  it('has the values of an attribute whose name the newer release gave to another one', async () => {
    const older = { hop: declare('hop', TITLE) }
    const first = await start(older)
    expect((await first.post('/api/hops', { title: 'one' })).status).to.equal(201)
    await start({ hop: declare('hop', { heading: { type: 'string', from: 'title' }, ...TITLE }) })
    const again = await start(older)
    expect((await again.post('/api/hops', { title: 'two' })).status).to.equal(201)
    const next = await start({ hop: declare('hop', { ...TITLE, more: { type: 'integer' } }) })
    expect(await titles(next, '/api/hops')).to.deep.equal(['one', 'two'])
  })

  it('fails to start if a name of the newer release may mean the values or a new attribute', async () => {
    const heading = { heading: { type: 'string' } }
    const older = { hop: declare('hop', TITLE) }
    const first = await start(older)
    expect((await first.post('/api/hops', { title: 'one' })).status).to.equal(201)
    await start({ hop: declare('hop', { heading: { type: 'string', from: 'title' }, ...TITLE }) })
    await start(older)
    const unclear = start({ hop: declare('hop', { ...TITLE, ...heading }) })
    const fault = await unclear.catch((error: unknown) => error)
    expect(String(fault)).to.match(/hop.*heading.*add "from": "title"/)
    const own = { title: { type: 'string', from: 'title' }, ...heading }
    expect(await titles(await start({ hop: declare('hop', own) }), '/api/hops')).to.deep.equal([
      'one',
    ])
  })

  it('has the entries of a content-type whose name the newer release gave to another one', async () => {
    const article = declare('article', TITLE)
    const first = await start({ article })
    expect((await first.post('/api/articles', { title: 'one' })).status).to.equal(201)
    await start({ post: { from: 'article', ...declare('post', TITLE) }, article })
    const again = await start({ article })
    expect((await again.post('/api/articles', { title: 'two' })).status).to.equal(201)
    const next = await start({ article, tag: declare('tag', TITLE) })
    expect(await titles(next, '/api/articles')).to.deep.equal(['one', 'two'])
  })
})
