import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

describe('totals of lists over HTTP', () => {
  let server: TestServer

  before(async () => {
    server = await serve('counting', {
      contentTypes: {
        tag: declare('tag', { name: { type: 'string' } }),
        note: declare('note', { name: { type: 'string' } }, { draftAndPublish: true }),
      },
      environment: { COUNT_LIMIT: '3' },
    })
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await server.post('/api/tags', { name })
      await server.post('/api/notes', { name })
    }
    for (let user = 0; user < 4; user++) {
      const body = {
        username: `user${user}`,
        email: `${user}@example.org`,
        password: 'long-enough-1',
      }
      await server.send('POST', '/api/auth/local/register', { body, token: null })
    }
  })

  after(() => server.close())

  const CASES: readonly (readonly [string, object])[] = [
    ['tags', { page: 1, pageSize: 25, pageCount: 1, total: 3, capped: true }],
    [
      'tags?pagination[pageSize]=2&pagination[page]=3',
      { page: 3, pageSize: 2, pageCount: 2, total: 3, capped: true },
    ],
    ['tags?pagination[start]=4', { start: 4, limit: 25, total: 3, capped: true }],
    ['tags?pagination[cursor]=', { pageSize: 25, nextCursor: null, total: 3, capped: true }],
    ['tags?filters[name][$lte]=c', { page: 1, pageSize: 25, pageCount: 1, total: 3 }],
    [
      'tags?pagination[withCount]=estimate&filters[name][$lte]=b',
      { page: 1, pageSize: 25, pageCount: 1, total: 2, estimated: true },
    ],
    [
      'notes?pagination[withCount]=estimate',
      { page: 1, pageSize: 25, pageCount: 1, total: 3, capped: true, estimated: true },
    ],
    ['tags?pagination[withCount]=false', { page: 1, pageSize: 25 }],
  ]
  for (const [target, pagination] of CASES) {
    it(`returns the expected pagination for ${target}`, async () => {
      const { status, body } = await server.get(`/api/${target}`)
      expect(status).to.equal(200)
      expect(body.meta).to.deep.equal({ pagination })
    })
  }

  it('returns the estimate of the database for tags?pagination[withCount]=estimate', async () => {
    const { body } = await server.get('/api/tags?pagination[withCount]=estimate')
    const { total, ...others } = body.meta.pagination
    expect(others).to.deep.equal({ page: 1, pageSize: 25, pageCount: 1, estimated: true })
    // The statistics may be older than some of the five creations.
    if (process.env['MONGODB_URI']) expect(total).to.be.within(1, 5)
    else expect(total).to.equal(5)
  })

  it('shows entries beyond the cap', async () => {
    const { body } = await server.get('/api/tags?pagination[start]=4')
    expect(body.data).to.have.length(1)
  })

  it('counts all users, because that response is a bare number', async () => {
    expect((await server.get('/api/users/count')).body).to.equal(4)
  })

  it('lists the allowed values of withCount in the error', async () => {
    const { status, body } = await server.get('/api/tags?pagination[withCount]=about')
    expect([status, body.error.message]).to.deep.equal([
      400,
      'Invalid withCount parameter. Expected "t","1","true","false","0","f","estimate"',
    ])
  })
})
