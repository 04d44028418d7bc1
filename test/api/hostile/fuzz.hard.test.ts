import { expect } from 'chai'
import * as fc from 'fast-check'
import { requestOfAnybody } from '../../support/fuzz-requests.ts'
import {
  type Answered,
  type Asked,
  AUTHORS,
  BOOKS,
  idOf,
  NOTES,
  openWorld,
  SECRETS,
  type World,
} from '../../support/fuzz-worlds.ts'

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1500)

const KNOWN: ReadonlySet<string> = new Set(
  [
    ['book', BOOKS],
    ['author', AUTHORS],
    ['secret', SECRETS],
    ['note', NOTES],
  ].flatMap(([kind, count]) =>
    Array.from({ length: Number(count) }, (_, n) => idOf(String(kind), n)),
  ),
)

/** Requests that once caused a 5xx. */
const FOUND: readonly string[] = ['/api/books?filters[author][name]=x&locale=xx']

const toGet = (target: string): Asked => ({ method: 'GET', target })

/** Masks legitimate differences between two servers: new ids and the time of day. */
function comparable({ status, text }: Answered): string {
  const body = text
    .replaceAll(/\b[a-z][a-z0-9]{23}\b/g, (id) => (KNOWN.has(id) ? id : 'new'))
    .replaceAll(/20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z/g, 'now')
  return `${status} ${body}`
}

describe(`${REQUESTS} requests of the public role`, () => {
  let worlds: readonly [World, World]

  before(async () => {
    worlds = [await openWorld(0), await openWorld(1)]
  })

  after(async () => {
    for (const world of worlds) await world.close()
  })

  it('returns the documented responses without a 5xx, independent of hidden content', async function () {
    this.timeout(60_000 + REQUESTS * 100)
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(requestOfAnybody(), async (asked) => {
        const [one, other] = await Promise.all([worlds[0].ask(asked), worlds[1].ask(asked)])
        expect(one.status, one.text).to.be.below(500)
        for (const { canary } of worlds) {
          for (const answered of [one, other]) {
            expect(answered.text).to.not.include(canary)
            expect(answered.headers).to.not.include(canary)
          }
        }
        expect(comparable(one)).to.equal(comparable(other))
        expect(worlds.flatMap((world) => world.faults()).join('\n')).to.equal('')
        statuses.set(one.status, (statuses.get(one.status) ?? 0) + 1)
      }),
      { numRuns: REQUESTS, endOnFailure: true, examples: FOUND.map((target) => [toGet(target)]) },
    )
    // If all requests were refused, the test would prove too little.
    const share = (status: number): number => (statuses.get(status) ?? 0) / REQUESTS
    expect(share(200), 'the share of requests that are answered').to.be.above(0.2)
    expect(share(400), 'the share of requests that are refused').to.be.above(0.1)
  })
})
