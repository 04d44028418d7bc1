import { expect } from 'chai'
import { openRateLimits } from '../../../src/people/access/rate-limit.ts'
import { openTestDatabase } from '../../support/test-database.ts'

describe('openRateLimits', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  const at = Date.UTC(2026, 0, 1)

  before(async () => {
    test = await openTestDatabase('rate_limit')
  })
  after(() => test.drop())

  it('counts each concurrent attempt exactly once', async () => {
    const open = () => openRateLimits(test.database, () => new Date(at))
    const [one, two, three] = await Promise.all([open(), open(), open()])
    const counted = await Promise.all(
      Array.from({ length: 10 }, () => [one, two, three])
        .flat()
        .map((limits) => limits.count('route', 'key', 20)),
    )
    const remaining = counted.map(({ remaining }) => remaining).sort((a, b) => b - a)
    expect(remaining.slice(0, 20)).to.deep.equal(Array.from({ length: 20 }, (_, i) => 19 - i))
    expect(counted.filter(({ allowed }) => !allowed)).to.have.length(10)
  })

  it('counts arbitrary keys separately', async () => {
    const limits = await openRateLimits(test.database, () => new Date(at))
    for (const key of ['a', 'b', '$where', '__proto__', 'x'.repeat(100_000), '\u0000']) {
      expect((await limits.count('other', key, 5)).remaining).to.equal(4)
    }
  })
})
