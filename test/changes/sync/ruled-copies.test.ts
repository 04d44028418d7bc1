import { expect } from 'chai'
import * as fc from 'fast-check'
import { histories, RuledCopies } from './ruled-copies.ts'

const RUNS = 12

describe('synced copies under rules', () => {
  let copies: RuledCopies

  before(async () => {
    copies = await RuledCopies.open('ruled_copies')
  })
  after(() => copies.drop())

  it('equal a fresh read under the rule and receive no byte about hidden rows', async function () {
    this.timeout(RUNS * 20_000)
    await fc.assert(
      fc.asyncProperty(histories, (history) => copies.run(history)),
      { numRuns: RUNS, endOnFailure: true },
    )
    expect(copies.pages).to.be.greaterThan(RUNS)
    expect(copies.resets).to.be.greaterThan(0)
  })
})
