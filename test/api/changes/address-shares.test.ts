import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const SHARE = 3
const ONE_NETWORK = ['2001:db8:1:2::1', '2001:db8:1:2::2', '[2001:db8:1:2::3]:443'] as const
const MORE_OF_IT = { 'x-forwarded-for': '2001:db8:1:2:ffff::4' }
const ANOTHER = { 'x-forwarded-for': '2001:db8:1:3::1' }

describe('the limit of waiting requests per network', () => {
  let server: TestServer

  before(async () => {
    server = await serve('address_shares', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
      environment: {
        MAX_LIVE: '12',
        MAX_LIVE_PER_ADDRESS: String(SHARE),
        TRUST_PROXY: '1',
        RATE_LIMIT: 'off',
      },
      permitted: ['api::tag.tag.find', 'api::tag.tag.sync'],
    })
  })
  after(() => server.close())

  const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

  it('leaves room for other networks at GET /api/_sync?wait', async () => {
    const { next } = (await server.get('/api/_sync?types=tag', { token: null })).body
    const wait = (headers: Record<string, string>, seconds: number): Promise<Answer> =>
      server.get(`/api/_sync?token=${next}&wait=${seconds}`, { token: null, headers })
    const held = ONE_NETWORK.map((address) => wait(from(address), 25))
    await until(async () => {
      const elapsedMs = startOwnClock()
      const { status, body } = await wait(MORE_OF_IT, 5)
      expect([status, body.items]).to.deep.equal([200, []])
      return elapsedMs() < 2_500
    }, 30_000)
    const other = wait(ANOTHER, 25)
    await server.post('/api/tags', { name: 'news' })
    for (const answer of await Promise.all([...held, other])) {
      expect(answer.body.items.map(({ data }: { data: { name: string } }) => data.name)).to.include(
        'news',
      )
    }
    const again = (await server.get(`/api/_sync?token=${next}`, { token: null })).body.next
    const waiting = server.get(`/api/_sync?token=${again}&wait=25`, { headers: MORE_OF_IT })
    await server.post('/api/tags', { name: 'later' })
    expect((await waiting).body.items, 'its places are given back').to.have.length(1)
  })

  it('leaves room for other networks at GET /api/_live', async () => {
    const open = (headers: Record<string, string>) =>
      openEventStream(server.port, '/api/_live?types=tag', headers)
    const streams = await Promise.all(ONE_NETWORK.map((address) => open(from(address))))
    expect(streams.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    const refused = await open(MORE_OF_IT)
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '1'])
    const other = await open(ANOTHER)
    expect(other.status).to.equal(200)
    for (const stream of [...streams, other]) stream.close()
  })
})
