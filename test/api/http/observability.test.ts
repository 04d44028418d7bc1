import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const SECRET = 'nobody-may-read-this'

describe('observability', () => {
  let server: TestServer
  let production: TestServer

  before(async () => {
    const contentTypes = { note: declare('note', { text: { type: 'string' } }) }
    server = await serve('observe', { contentTypes, environment: { SLOW_REQUEST_MS: '1' } })
    production = await serve('observe_not', {
      contentTypes,
      environment: { NODE_ENV: 'production', MONITOR_COMMANDS: 'off' },
    })
    for (let index = 0; index < 20; index += 1) {
      await server.post('/api/notes', { text: `${index}` })
    }
  })
  after(async () => {
    await server.close()
    await production.close()
  })

  const metrics = async (of: TestServer) => (await of.get('/metrics', { token: null })).text
  const timing = async (target: string) =>
    String((await server.get(target)).headers['server-timing'])

  it('measures commands by route, the pool, caches and the event loop', async () => {
    await server.get('/api/notes')
    const text = await metrics(server)
    expect(text).to.match(
      /quire_http_request_database_commands_bucket\{le="4",method="GET",route="\/api\/notes\/?"\} 1/,
    )
    expect(text).to.match(/quire_database_command_duration_seconds_count\{command="find"\} \d/)
    expect(text).to.match(/^quire_database_pool_size [1-9]/m)
    expect(text).to.match(/^quire_database_pool_waiting 0$/m)
    expect(text).to.match(/^quire_cache_loads_total\{cache="\w+"\} [1-9]/m)
    expect(text).to.match(/^nodejs_eventloop_lag_seconds /m)
    // Background work may use a connection.
    const isFree = async () => /^quire_database_pool_checked_out 0$/m.test(await metrics(server))
    await until(isFree, 10_000)
  })

  it('shows metrics to local requests only, and not through a proxy on the same machine', async () => {
    expect((await server.get('/metrics', { token: null })).status).to.equal(200)
    for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']) {
      const answer = await server.get('/metrics', {
        token: null,
        headers: { [header]: '127.0.0.1' },
      })
      expect(answer.status, header).to.equal(403)
    }
    for (const host of [
      'evil.example',
      'evil.example:1337',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      '@',
    ]) {
      const answer = await server.get('/metrics', { token: null, headers: { host } })
      expect(answer.status, host).to.equal(403)
    }
    for (const host of ['localhost', 'localhost:1337', '127.0.0.1', '127.0.0.2:80', '[::1]:1337']) {
      const answer = await server.get('/metrics', { token: null, headers: { host } })
      expect(answer.status, host).to.equal(200)
    }
    const behindProxy = await serve('metrics_proxy', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      environment: { TRUST_PROXY: 'on' },
    })
    try {
      expect((await behindProxy.get('/metrics', { token: null })).status).to.equal(403)
    } finally {
      await behindProxy.close()
    }
  })

  it('reports the duration and the number of commands of a request', async () => {
    await server.get('/api/notes') // refreshes the caches
    expect(await timing('/api/notes')).to.match(
      /^total;dur=\d+\.\d, db;dur=\d+\.\d;desc="[23] commands"$/,
    )
    expect(await timing('/_health')).to.match(/^total;dur=\d+\.\d, db;dur=0\.0;desc="0 commands"$/)
  })

  it('hides Server-Timing in production, and the metrics that are off', async () => {
    const { headers, status } = await production.get('/api/notes')
    expect(status).to.equal(200)
    expect(headers).to.not.have.property('server-timing')
    const text = await metrics(production)
    expect(text).to.include('quire_http_request_duration_seconds_count')
    expect(text).to.match(/^quire_database_pool_size [1-9]/m)
    expect(text).to.not.include('quire_http_request_database_commands')
  })

  it('excludes the waiting time of _sync from the duration', async () => {
    const seconds = async (): Promise<number> => {
      const sum = /^quire_http_request_duration_seconds_sum\{[^}]*"\/api\/_sync\/?"[^}]*\} (\S+)$/m
      return Number(sum.exec(await metrics(server))?.[1])
    }
    await server.settled() // commits without a number come with a later page
    let { next } = (await server.get('/api/_sync?types=note')).body
    await until(async () => {
      const { body } = await server.get(`/api/_sync?token=${next}`)
      ;({ next } = body)
      return body.items.length === 0
    }, 10_000)
    const before = await seconds()
    const started = performance.now()
    const { body, headers } = await server.get(`/api/_sync?token=${next}&wait=3`)
    const restMs = performance.now() - started - 2_500
    expect(body.items).to.deep.equal([])
    expect((await seconds()) - before).to.be.below(restMs / 1_000)
    const [, totalMs] = /^total;dur=([\d.]+)/.exec(String(headers['server-timing'])) ?? []
    expect(Number(totalMs)).to.be.below(restMs)
  })

  it('adds no series for names that clients invent', async () => {
    const askAll = async (round: number): Promise<void> => {
      for (let index = 0; index < 20; index += 1) {
        const word = `made-up-${round}-${index}`
        const headers = { 'user-agent': word, origin: `https://${word}.example` }
        await server.get(`/${word}/${word}`, { token: null, headers })
        await server.get(`/api/${word}`, { headers })
        await server.get(`/api/notes/${word}?locale=${word}`, { headers })
        await server.get(`/api/notes?filters[${word}][$eq]=${word}`, { headers })
        await server.get('/api/notes', { token: word, headers })
      }
    }
    const known = new Set<string>()
    // Background work may add its first series during a round, but not during each one.
    let added: readonly string[] = ['none asked']
    let text = ''
    for (let round = 1; round <= 5 && added.length > 0; round += 1) {
      await askAll(round)
      text = await metrics(server)
      const series = text.split('\n').map((line) => line.slice(0, line.lastIndexOf(' ')))
      added = series.filter((each) => !known.has(each))
      for (const each of series) known.add(each)
    }
    expect(added).to.deep.equal([])
    expect(text).not.to.include('made-up')
  })

  it('logs slow requests by route, without their values', async () => {
    server.takeLog()
    await server.get(`/api/notes?filters[text][$contains]=${SECRET}&sort=text`, {
      headers: { 'x-request-id': 'the-slow-one' },
    })
    const lines: Json[] = []
    const isIt = ({ requestId }: Json): boolean => requestId === 'the-slow-one'
    while (!lines.some(isIt)) {
      await server.get('/_ready') // a line may wait for its query plan
      lines.push(...server.takeLog())
    }
    const line = lines.find(isIt)
    expect(line).to.include({ method: 'GET', status: 200, msg: 'A request was slow' })
    expect(line.route).to.match(/^\/api\/notes\/?$/)
    expect(line.database.commands).to.be.at.least(2)
    // On a busy machine a read of the system may also be among the slowest.
    const find = line.slowest.find(
      ({ command, collection }: Readonly<Record<string, string>>) =>
        command === 'find' && collection === 'note_versions',
    )
    expect(find, JSON.stringify(line.slowest)).to.be.an('object')
    expect(find.filtered).to.include('text')
    expect(find.sorted).to.deep.equal(['text', 'id'])
    expect(JSON.stringify(lines)).to.not.include(SECRET)
  })
})
