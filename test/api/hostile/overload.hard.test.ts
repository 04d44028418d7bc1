import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { testUri } from '../../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { startOwnClock } from '../../support/own-clock.ts'
import { until } from '../../support/until.ts'

const REQUESTS = 200

/** The time until the driver drops a silent server, including its retry of a read. */
const BOUND_MS = 12_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function usedBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('a database that stops responding under many requests', function () {
  this.slow(20_000)

  const SETTINGS: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ['with the default configuration', {}, REQUESTS],
    ['with a small pool, which determines the limit', { MONGODB_MAX_POOL_SIZE: '5' }, 20],
    ['with an explicit limit', { MAX_IN_FLIGHT: '10', MONGODB_MAX_POOL_SIZE: '5' }, 10],
  ]
  for (const [label, environment, inFlight] of SETTINGS) {
    describe(label, () => {
      let proxy: DatabaseProxy
      let server: TestServer

      before(async () => {
        proxy = await openDatabaseProxy(await testUri())
        server = await serve('overload', {
          uri: proxy.uri,
          contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
          permitted: ['api::tag.tag.find'],
          environment,
        })
        await server.post('/api/tags', { name: 'kept' })
      })

      after(async () => {
        await server.close()
        await proxy.close()
      })

      /** Alternates reads and writes, and returns all responses within the bound. */
      async function ask(): Promise<readonly Answer[]> {
        const elapsedMs = startOwnClock()
        const requests = Array.from({ length: REQUESTS }, (_, index) =>
          index % 2 === 0
            ? server.get('/api/tags', { token: null })
            : server.post('/api/tags', { name: 'silent' }),
        )
        const answers = await Promise.all(requests)
        expect(elapsedMs(), 'milliseconds').to.be.below(BOUND_MS)
        return answers
      }

      it('responds to all requests within a bound, to most immediately, and recovers by itself', async () => {
        const statuses = (await ask()).map(({ status }) => status)
        expect(statuses, 'no less than what is allowed').to.satisfy(
          (all: readonly number[]) =>
            all.filter((status) => status === 200 || status === 201).length >= inFlight,
        )
        const before = usedBytes()
        proxy.stall()
        const first = ask()
        await delay(200) // the requests over the limit have a response now, and new ones can start
        const alive = await server.get('/_health')
        expect(alive.status).to.equal(204)
        const answers = [...(await first), ...(await ask())]
        const bugs = server.takeLog().filter(({ level }: { readonly level: number }) => level > 40)
        expect(bugs, 'what was logged as a bug').to.deep.equal([])
        for (const { status, body, headers } of answers) {
          expect(status).to.be.oneOf([503, 504])
          expect(body).to.have.nested.property('error.status', status)
          expect(headers['retry-after']).to.equal('1')
        }
        const refused = answers.filter(({ body }) => /Too many/.test(body.error.message))
        expect(refused.length).to.be.at.least(REQUESTS - inFlight)
        expect(usedBytes() - before, 'bytes kept').to.be.below(32 * 2 ** 20)
        proxy.open()
        await untilServed()
        const again = (await ask()).map(({ status }) => status)
        expect(again).to.include(200).and.to.include(201)
        expect(new Set(again)).to.satisfy((all: ReadonlySet<number>) =>
          [...all].every((status) => [200, 201, 503].includes(status)),
        )
      })

      async function untilServed(): Promise<void> {
        await until(async () => (await server.get('/api/tags')).status === 200, 15_000)
      }
    })
  }
})
