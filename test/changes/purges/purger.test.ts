import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type CommitLog, openCommitLog } from '../../../src/mongo/commits/commit-log.ts'
import { recordBulk } from '../../../src/mongo/commits/bulk-intents.ts'
import { examinePurges } from '../../../src/changes/purges/purge-health.ts'
import { openPurger, type Purger } from '../../../src/changes/purges/purger.ts'
import { type PurgeKind, sendPurge } from '../../../src/changes/purges/send-purge.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { openWorld, planOf } from '../../mongo/commits/log-world.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'

interface Received {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A cache server that responds with a configured status. */
async function startCache() {
  const received: Received[] = []
  let status = 200
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (text: Buffer) => (body += text.toString()))
    request.on('end', () => {
      received.push({ method: request.method ?? '', headers: request.headers, body })
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    answer: (next: number): void => {
      status = next
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Cache = Awaited<ReturnType<typeof startCache>>

const TYPES = new Map<ContentTypePlan['uid'], ContentTypePlan>(
  (['article', 'tag'] as const).map((name) => [planOf(name).uid, planOf(name)]),
)
const ALL = ['api::article.article', 'api::tag.tag']

function item(type: string, status: CommitItem['status'] = 'published'): CommitItem {
  return { type, documentId: 'one', locale: '', status, op: 'put', revision: null }
}

describe('purges', () => {
  let test: TestDatabase
  let cache: Cache
  let commitLog: CommitLog
  const purgers: Purger[] = []
  const faults: unknown[] = []

  beforeEach(async () => {
    test = await openTestDatabase('purges')
    await openWorld(test.database)
    cache = await startCache()
    commitLog = await openCommitLog({
      database: test.database,
      retentionDays: 1,
      historyDays: 1,
      onBackgroundError: (error) => faults.push(error),
      lookMs: 50,
    })
  })
  afterEach(async () => {
    for (const purger of purgers.splice(0)) await purger.close()
    await commitLog.close()
    cache.close()
    await test.drop()
    faults.splice(0)
  })

  const open = async (): Promise<void> => {
    purgers.push(
      await openPurger({
        database: test.database,
        schema: { contentTypes: TYPES },
        commitLog,
        purge: { kind: 'url', urls: [cache.url], token: null },
        staleMs: 0,
        now: () => new Date(),
        onBackgroundError: (error) => faults.push(error),
      }),
    )
  }
  const change = (...items: readonly CommitItem[]): Promise<void> =>
    recordBulk(test.database, items, () => Promise.resolve())
  const purged = (): readonly string[][] =>
    cache.received.map(({ body }) => (JSON.parse(body) as { tags: string[] }).tags)
  const came = (count: number): Promise<void> =>
    until(() => Promise.resolve(cache.received.length >= count), 20_000)

  it('name the types with published changes but not those with only draft changes', async () => {
    await change(item('api::article.article'))
    await until(async () => (await commitLog.refresh()).seq > 0, 5_000)
    await open() // earlier changes are not purged
    await change(item('api::tag.tag'), item('api::article.article', 'draft'))
    await came(1)
    expect(purged()).to.deep.equal([['api::tag.tag']])
    await change(item('api::article.article', 'draft'))
    await change(item('admin::api-token'))
    await change(item('plugin::users-permissions.role'))
    await came(2)
    expect(purged().slice(1)).to.deep.equal([ALL])
  })

  it('name the changed files, whose bytes have these tags, and all files after a gap', async () => {
    await open()
    const file = (documentId: string): CommitItem => {
      return { ...item('plugin::upload.file'), documentId }
    }
    await change(file('one'), { ...file('two'), op: 'delete' }, item('api::tag.tag'))
    await came(1)
    expect(purged()).to.deep.equal([['api::tag.tag', 'one', 'two']])
    await change(...Array.from({ length: 1_001 }, (_, index) => file(`f${index}`)))
    await came(2)
    expect(purged()[1]).to.deep.equal(['uploads'])
  })

  it('are retried until the cache accepts them, by one process at a time', async () => {
    await open()
    await open()
    cache.answer(500)
    await change(item('api::tag.tag'))
    await came(2)
    cache.answer(200)
    const before = cache.received.length
    await came(before + 1)
    await change(item('api::article.article'))
    await came(before + 2)
    expect(purged().slice(before)).to.deep.equal([['api::tag.tag'], ['api::article.article']])
    expect(faults.map(String).join()).to.match(/did not purge: status 500/)
  })

  it('report their backlog, lag and failures', async () => {
    await open()
    const health = () => examinePurges(test.database, new Date())
    expect(await health()).to.deep.equal({ behind: 0, lagMs: 0, failures: 0 })
    cache.answer(500)
    await change(item('api::tag.tag'))
    await until(async () => (await health()).failures > 0, 20_000)
    const failing = await purgers[0]?.health?.()
    expect(failing?.behind).to.equal(1)
    expect(failing?.lagMs).to.be.above(1_000) // purges are delayed on purpose
    cache.answer(200)
    await until(async () => (await health()).behind === 0, 20_000)
    expect(await health()).to.deep.equal({ behind: 0, lagMs: 0, failures: 0 })
  })

  it('name all types if the log cannot tell the changes', async () => {
    await open()
    await change(item('api::tag.tag'))
    await came(1)
    for (const purger of purgers.splice(0)) await purger.close()
    const { log } = await commitLog.refresh()
    await test.database
      .collection<{ _id: string; log: string }>('quire_purges')
      .updateOne({ _id: 'main' }, { $set: { log: `not ${log}` } })
    await open()
    await came(2)
    expect(purged()[1]).to.deep.equal([...ALL, 'uploads'])
  })

  const forms: readonly (readonly [PurgeKind, object, string])[] = [
    [
      'fastly',
      { method: 'POST', key: 'secret', bearer: undefined, xkey: undefined },
      '{"surrogate_keys":["a","b"]}',
    ],
    [
      'cloudflare',
      { method: 'POST', key: undefined, bearer: 'Bearer secret', xkey: undefined },
      '{"tags":["a","b"]}',
    ],
    ['varnish', { method: 'PURGE', key: undefined, bearer: 'Bearer secret', xkey: 'a b' }, ''],
    [
      'url',
      { method: 'POST', key: undefined, bearer: 'Bearer secret', xkey: undefined },
      '{"tags":["a","b"]}',
    ],
  ]
  for (const [kind, expected, body] of forms) {
    it(`use the format of ${kind}`, async () => {
      await sendPurge({ kind, urls: [cache.url, cache.url], token: 'secret' }, ['a', 'b'])
      expect(cache.received).to.have.lengthOf(2)
      const [
        { method, headers, body: sent } = {
          method: '',
          headers: {} as IncomingHttpHeaders,
          body: '',
        },
      ] = cache.received
      const { 'fastly-key': key, authorization: bearer, 'xkey-purge': xkey } = headers
      expect({ method, key, bearer, xkey }).to.deep.equal(expected)
      expect(sent).to.equal(body)
    })
  }

  it('fail on redirects and unreachable hosts, and split many tags into several requests', async () => {
    const target = { kind: 'cloudflare', urls: [cache.url], token: null } as const
    await sendPurge(
      target,
      Array.from({ length: 65 }, (_, index) => `t${index}`),
    )
    expect(purged().map(({ length }) => length)).to.deep.equal([30, 30, 5])
    cache.answer(302)
    const refused = async (urls: readonly string[]): Promise<string> => {
      try {
        await sendPurge({ ...target, urls }, ['a'])
      } catch (error) {
        return String(error)
      }
      return 'purged'
    }
    expect(await refused([cache.url])).to.match(/did not purge/)
    expect(await refused(['http://127.0.0.1:1/'])).to.match(/did not purge: no answer/)
  })
})
