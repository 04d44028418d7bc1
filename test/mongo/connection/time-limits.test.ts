import { expect } from 'chai'
import { GatewayTimeoutError } from '../../../src/base/errors.ts'
import { boundedReads } from '../../../src/mongo/connection/time-limits.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'

describe('boundedReads', () => {
  it('limits each command to the remaining time and fails after it', () => {
    let now = 100
    const database = { queryTimeoutMs: 2_000, countLimit: 7 } as Database
    const bounded = boundedReads(database, () => now)
    expect(bounded.countLimit).to.equal(7)
    const at = (ms: number): number => {
      now = 100 + ms
      return bounded.queryTimeoutMs
    }
    expect([at(0), at(8_000), at(9_000.5), at(9_999.9)]).to.deep.equal([2_000, 2_000, 1_000, 1])
    expect(() => at(10_000)).to.throw(GatewayTimeoutError)
    expect(database.queryTimeoutMs).to.equal(2_000)
  })
})
