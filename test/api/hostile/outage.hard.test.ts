import { expect } from 'chai'
import { testUri } from '../../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { startOwnClock } from '../../support/own-clock.ts'
import { until } from '../../support/until.ts'

describe('a database that is lost and comes back', function () {
  this.slow(5000)
  let proxy: DatabaseProxy
  let server: TestServer

  before(async () => {
    proxy = await openDatabaseProxy(await testUri())
    server = await serve('outage', {
      uri: proxy.uri,
      contentTypes: {
        tag: declare('tag', { name: { type: 'string' } }, { draftAndPublish: true }),
      },
      permitted: ['api::tag.tag.find'],
    })
    await server.post('/api/tags', { name: 'kept' })
  })

  after(async () => {
    await server.close()
    await proxy.close()
  })

  async function untilAnswered(work: () => Promise<Answer>, status: number): Promise<Answer> {
    let answer = await work()
    await until(async () => {
      if (answer.status === status) return true
      answer = await work()
      return answer.status === status
    }, 15_000)
    return answer
  }

  it('causes a 503 with Retry-After within seconds, for reads, writes and readiness', async () => {
    proxy.shut()
    const elapsedMs = startOwnClock()
    const answers = await Promise.all([
      server.get('/api/tags'),
      server.get('/api/tags/abcdefghijklmnopqrstuvwx'),
      server.post('/api/tags', { name: 'lost' }),
      server.get('/api/tags', { token: null }),
      server.get('/_ready'),
    ])
    expect(elapsedMs(), 'milliseconds').to.be.below(4000)
    for (const { status, body, headers, text } of answers) {
      expect([status, body], text).to.deep.equal([
        503,
        {
          data: null,
          error: {
            status: 503,
            name: 'ServiceUnavailableError',
            message: 'The database cannot be reached',
            details: {},
          },
        },
      ])
      expect(headers['retry-after']).to.equal('1')
    }
    expect((await server.get('/_health')).status, 'alive all the same').to.equal(204)
    for (const { level } of server.takeLog()) expect(level, 'a warning, not a bug').to.equal(40)
  })

  it('still refuses invalid requests', async () => {
    expect((await server.get('/api/tags?filters[nope]=1')).status).to.be.oneOf([400, 503])
    expect((await server.get('/api/nope')).status).to.equal(404)
  })

  it('serves again when the database is back, and has lost no data', async () => {
    proxy.open()
    const answer = await untilAnswered(() => server.get('/api/tags'), 200)
    expect([answer.status, answer.body?.data?.length], answer.text).to.deep.equal([200, 1])
    expect((await untilAnswered(() => server.get('/_ready'), 204)).status).to.equal(204)
    expect((await server.post('/api/tags', { name: 'after' })).status).to.equal(201)
    expect(await server.count('tag_versions')).to.equal(4)
  })

  it('responds with 503 within a bound when the database stops responding', async () => {
    proxy.stall()
    const elapsedMs = startOwnClock()
    const answers = await Promise.all([
      server.get('/api/tags'),
      server.post('/api/tags', { name: 'silent' }),
    ])
    expect(answers.map(({ status }) => status)).to.deep.equal([503, 503])
    expect(elapsedMs(), 'milliseconds').to.be.below(12_000)
    proxy.open()
    expect((await untilAnswered(() => server.get('/api/tags'), 200)).status).to.equal(200)
  })

  it('survives broken connections without an error of the server', async () => {
    for (const name of ['one', 'two', 'three']) {
      proxy.shut()
      proxy.open()
      const answer = await untilAnswered(() => server.post('/api/tags', { name }), 201)
      expect(answer.status, answer.text).to.equal(201)
    }
    const { body } = await server.get('/api/tags?sort=name&fields=name')
    expect(
      new Set(body.data.map(({ name }: { readonly name: string }) => name)),
    ).to.include.all.keys('one', 'two', 'three')
  })
})
