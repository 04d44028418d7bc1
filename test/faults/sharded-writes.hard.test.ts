import { expect } from 'chai'
import { declare, serve, type TestServer } from '../support/server.ts'
import { testUri } from '../support/test-database.ts'
import { FAULT_OPERATIONS, FAULT_TYPES, LOCALES, readState } from './fault-operations.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import { answerAsMongos } from './mongod-answers.ts'

const SETTINGS = {
  ...(FAULT_TYPES as Readonly<Record<string, object>>),
  settings: declare(
    'setting',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      size: { type: 'integer' },
    },
    { kind: 'singleType', draftAndPublish: true, localized: true },
  ),
}

describe('content on a mongos before 7.0', function () {
  this.slow(5_000)
  let proxy: FaultProxy
  let server: TestServer

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    server = await serve('sharded_writes', {
      uri: proxy.uri,
      contentTypes: SETTINGS,
      locales: LOCALES.slice(1),
    })
    proxy.arm(answerAsMongos((collection) => collection.endsWith('_versions')))
  })
  after(async () => {
    await server.close()
    await proxy.close()
  })

  for (const [index, operation] of FAULT_OPERATIONS.entries()) {
    it(`executes: ${operation.name}`, async () => {
      const key = `k${index}k`
      const prepared = await operation.prepare(server, key)
      const before = await readState(server, key)
      const answer = await operation.send(server, key, prepared)
      expect(answer.status, answer.text).to.be.below(300)
      expect(await readState(server, key)).to.not.deep.equal(before)
    })
  }

  it('writes a single type in many locales at once, with conditions and deletes', async () => {
    const put = (locale: string, data: object, headers = {}) =>
      server.put(`/api/setting?locale=${locale}`, data, { headers })
    const made = await Promise.all(LOCALES.map((locale) => put(locale, { title: locale, size: 1 })))
    expect(made.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    const { headers } = await server.get('/api/setting?locale=fr')
    const changed = await put('fr', { size: 2 }, { 'if-match': headers.etag ?? '' })
    expect(changed.status, changed.text).to.equal(200)
    expect((await server.get('/api/setting?locale=de')).body.data.size).to.equal(2)
    expect((await server.delete('/api/setting?locale=*')).status).to.equal(204)
  })

  it('names the attribute if concurrent creations have the same unique value', async () => {
    const answers = await Promise.all(
      Array.from({ length: 7 }, (_, index) =>
        server.post('/api/posts?status=published', { title: `t${index}`, code: 'wanted' }),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).to.have.lengthOf(6)
    for (const { body, text } of refused) {
      expect(body.error, text).to.deep.include({ status: 400, name: 'ValidationError' })
      expect(body.error.details.errors[0]).to.deep.include({
        path: ['code'],
        message: 'This attribute must be unique',
      })
    }
  })
})
