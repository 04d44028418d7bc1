import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const FIND = 'api::post.post.find'
const SECRET = 'a'.repeat(256)

describe('the log of requests', () => {
  let server: TestServer
  let token: string

  before(async () => {
    server = await serve('request_log', {
      contentTypes: {
        post: declare('post', {
          title: { type: 'string' },
          views: { type: 'integer' },
          facts: { type: 'json' },
        }),
      },
      logLevel: 'info',
      permitted: [FIND, 'plugin::users-permissions.auth.register'],
    })
    const body = { name: 'reader', type: 'custom', permissions: [FIND] }
    const answer = await server.send('POST', '/admin/api-tokens', { body })
    token = answer.body.data.accessKey
  })
  after(() => server.close())

  /** The log lines of a request. The last one may be written after the response. */
  const linesOf = async (ask: () => Promise<unknown>): Promise<readonly Json[]> => {
    await new Promise((resolve) => setImmediate(resolve))
    server.takeLog()
    await ask()
    const lines: Json[] = []
    await until(() => {
      lines.push(...server.takeLog().filter(({ msg }) => msg === 'request'))
      return lines.length > 0
    }, 5_000)
    return lines
  }

  it('writes one line per request with path, principal, duration and size', async () => {
    const [line, ...others] = await linesOf(() =>
      server.get('/api/posts?filters[title]=secret', { token: null }),
    )
    expect(others).to.deep.equal([])
    expect(line).to.include({
      method: 'GET',
      path: '/api/posts',
      status: 200,
      principal: 'anonymous',
    })
    expect(line.ms).to.be.a('number').greaterThan(0)
    expect(line.bytes).to.be.a('number').greaterThan(100)
    expect(line.requestId).to.be.a('string')
    expect(JSON.stringify(line)).to.not.contain('secret')
  })

  it('names the kind of principal, or null on routes that check none', async () => {
    const kindOf = async (path: string, key?: string | null): Promise<unknown> =>
      (await linesOf(() => server.get(path, key === undefined ? {} : { token: key })))[0].principal
    expect(await kindOf('/api/posts', token)).to.equal('apiToken')
    expect(await kindOf('/admin/roles')).to.equal('root')
    expect(await kindOf('/_health', null)).to.equal(null)
    expect(await kindOf('/nowhere', null)).to.equal(null)
    const account = { username: 'ada', email: 'ada@quire.test', password: 'a long password' }
    const made = await server.send('POST', '/api/auth/local/register', {
      body: account,
      token: null,
    })
    expect(made.status, made.text).to.equal(200)
    expect(await kindOf('/api/users/me', made.body.jwt)).to.equal('user')
  })

  it('redacts secrets in paths and queries', async () => {
    const lines = await linesOf(() => server.get(`/api/posts/${SECRET}?code=${SECRET}`))
    expect(JSON.stringify(lines)).to.not.contain(SECRET)
    expect(lines[0].path).to.equal('/api/posts/[redacted]')
  })

  it('logs the missing action, and returns it only to callers that may know it', async () => {
    const missingAction = 'api::post.post.create'
    for (const [key, message] of [
      [null, 'Forbidden'],
      [token, `Forbidden: ${missingAction} is not permitted`],
    ] as const) {
      const [line] = await linesOf(async () => {
        const { status, body } = await server.post('/api/posts', {}, { token: key })
        expect([status, body.error.name, body.error.message, body.error.details]).to.deep.equal([
          403,
          'ForbiddenError',
          message,
          {},
        ])
      })
      expect(line).to.include({ status: 403, missingAction })
    }
  })

  it('logs the reason of a 400 with its path', async () => {
    const [unknown] = await linesOf(() => server.get('/api/posts?filters[author][name]=Ada'))
    expect(unknown).to.include({
      status: 400,
      code: 'invalid_key',
      reason: 'Invalid key author',
    })
    const [payload] = await linesOf(() => server.post('/api/posts', { title: 7, views: 'many' }))
    expect(payload).to.include({ status: 400, code: 'invalid_payload' })
    expect(payload.paths).to.have.members(['title', 'views'])
    const [served] = await linesOf(() => server.get('/api/posts'))
    expect(served).to.not.have.any.keys('code', 'reason', 'paths')
  })

  const CANARY = 'canary'
  const values: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a number', () => server.post('/api/posts', { views: CANARY })],
    ['a number in an object', () => server.post('/api/posts', { views: { a: ['"', CANARY] } })],
    ['a string', () => server.post('/api/posts', { title: [`\n${CANARY}`] })],
    ['a body that is not JSON', () => server.send('POST', '/api/posts', { body: `{"${CANARY}` })],
    ['a filter', () => server.get(`/api/posts?filters[views]=${CANARY}`)],
    ['a filter with quotes', () => server.get(`/api/posts?filters[views]=%22a%22%20${CANARY}`)],
    ['a page', () => server.get(`/api/posts?pagination[page]=${CANARY}`)],
    ['an order', () => server.get(`/api/posts?sort=title:${CANARY}`)],
  ]
  for (const [label, ask] of values) {
    it(`logs the reason of a 400 without the value of ${label}`, async () => {
      const lines = await linesOf(ask)
      expect(lines[0]).to.include({ status: 400 })
      expect(lines[0].code).to.be.a('string')
      expect(JSON.stringify(lines)).to.not.contain(CANARY)
    })
  }

  it('truncates the reason of a 400 and redacts a key in it', async () => {
    const long = 'x%20'.repeat(1_000)
    const [line] = await linesOf(() => server.get(`/api/posts?sort=${long}`))
    expect(line.reason).to.be.a('string').with.length.at.most(300)
    const lines = await linesOf(() => server.get(`/api/posts?sort=${SECRET}`))
    expect(lines[0]).to.include({ status: 400, code: 'invalid_key' })
    expect(JSON.stringify(lines)).to.not.contain(SECRET.slice(0, 64))
  })
})
