import { expect } from 'chai'
import { type Answer, serveUsers, type UsersServer } from '../routes/users-server.ts'

describe('rate limits over HTTP', () => {
  let server: UsersServer

  before(async () => {
    const lifespans = { accessSeconds: 1_800, idleSeconds: 7_200, maxSeconds: 7_200 }
    server = await serveUsers('rate', { limited: true, lifespans })
  })
  after(() => server.close())

  const logIn = (identifier: string, base?: string): Promise<Answer> =>
    server.send('POST', '/api/auth/local', { identifier, password: 'wrong' }, null, base)

  it('allows ten attempts a minute per address across all processes', async () => {
    const other = await server.another()
    const answers = [await logIn('a')]
    for (let index = 1; index < 10; index += 1) {
      answers.push(await logIn(`a${index}`, index % 2 === 0 ? other : undefined))
    }
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([400]))
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).to.deep.equal(
      Array.from({ length: 10 }, (_, index) => String(9 - index)),
    )
    server.pass(12_000)
    const refused = await logIn('another', other)
    expect(refused.status).to.equal(429)
    expect(refused.body).to.deep.equal({
      data: null,
      error: {
        status: 429,
        name: 'RateLimitError',
        message: 'Too many requests, please try again later.',
        details: {},
      },
    })
    expect(refused.headers.get('x-ratelimit-limit')).to.equal('10')
    expect(refused.headers.get('x-ratelimit-remaining')).to.equal('0')
    expect(refused.headers.get('retry-after')).to.equal('48')
    const resets = Math.floor(server.now().getTime() / 1_000) + 48
    expect(refused.headers.get('x-ratelimit-reset')).to.equal(String(resets))
  })

  it('counts each route separately and restarts every minute', async () => {
    const forgot = await server.send('POST', '/api/auth/forgot-password', {
      email: 'a@example.org',
    })
    expect([forgot.status, forgot.headers.get('x-ratelimit-remaining')]).to.deep.equal([200, '9'])
    server.pass(60_000)
    expect((await logIn('a')).headers.get('x-ratelimit-remaining')).to.equal('9')
    const left = await server.database
      .collection('quire_rate_limits')
      .countDocuments({ expiresAt: { $lte: server.now() } })
    expect(left).to.equal(0)
  })

  const ROUTES: readonly (readonly [string, string, number])[] = [
    ['POST', '/api/auth/local', 10],
    ['POST', '/api/auth/local/register', 10],
    ['POST', '/api/auth/forgot-password', 10],
    ['POST', '/api/auth/reset-password', 10],
    ['POST', '/api/auth/change-password', 10],
    ['POST', '/api/auth/send-email-confirmation', 10],
    ['GET', '/api/auth/email-confirmation', 10],
    ['POST', '/api/auth/refresh', 60],
  ]
  for (const [method, path, limit] of ROUTES) {
    it(`refuses attempt ${limit + 1} of a minute at ${path} in another process`, async () => {
      server.pass(60_000)
      const other = await server.another()
      const send = (base?: string): Promise<Answer> =>
        server.send(method, path, method === 'GET' ? undefined : {}, null, base)
      const answers = await Promise.all(Array.from({ length: limit }, () => send()))
      expect(answers.filter(({ status }) => status === 429)).to.deep.equal([])
      const refused = await send(other)
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '48'])
    })
  }

  it('also counts per account across addresses', async () => {
    const counts = () =>
      server.database.collection('quire_rate_limits').countDocuments({ count: { $gt: 1 } })
    server.pass(60_000)
    const { jwt } = await server.register('counted')
    for (const path of ['/api/auth/local', '/api/auth/change-password', '/api/auth/refresh']) {
      const before = await counts()
      const { refreshToken } = (
        await server.send('POST', '/api/auth/local', {
          identifier: 'counted',
          password: 'secret of counted',
        })
      ).body
      const body = { identifier: 'counted', password: 'wrong', refreshToken }
      const token = path.endsWith('change-password') ? jwt : null
      for (let index = 0; index < 2; index += 1) await server.send('POST', path, body, token)
      expect((await counts()) - before, path).to.be.at.least(2)
    }
  })
})
