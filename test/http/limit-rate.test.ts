import { expect } from 'chai'
import { networkOf } from '../../src/http/limit-rate.ts'
import { type Answer, serveUsers, type UsersServer } from './users-server.ts'

describe('http/limit-rate', () => {
  let server: UsersServer

  before(async () => {
    server = await serveUsers('rate', { limited: true })
  })
  after(() => server.close())

  const logIn = (identifier: string, base?: string): Promise<Answer> =>
    server.send('POST', '/api/auth/local', { identifier, password: 'wrong' }, null, base)

  it('lets ten attempts a minute through from one address, in all processes together', async () => {
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

  it('counts each route by itself, and begins anew with the minute', async () => {
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

  it('takes the addresses of one network for one', () => {
    for (const [address, network] of [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
      ['2001:DB8:1:2::9', '2001:db8:1:2'],
      ['2001:db8::9', '2001:db8:0:0'],
      ['::1', '0:0:0:0'],
      ['', ''],
    ] as const) {
      expect(networkOf(address), address).to.equal(network)
    }
  })
})
