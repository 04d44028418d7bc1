import * as fc from 'fast-check'
import { histories, RuledCopies } from './ruled-copies.ts'

/** Bounds the time, not the number of histories. */
const LONGEST_MS = 15_000

describe('synced copies under rules, for longer', () => {
  let copies: RuledCopies

  before(async () => {
    copies = await RuledCopies.open('ruled_copies_hard')
  })
  after(() => copies.drop())

  it('equal a fresh read under the rule and receive no byte about hidden rows', async function () {
    this.timeout(10 * LONGEST_MS)
    await fc.assert(
      fc.asyncProperty(histories, (history) => copies.run(history)),
      {
        numRuns: 1_000,
        interruptAfterTimeLimit: LONGEST_MS,
        markInterruptAsFailure: false,
        endOnFailure: true,
      },
    )
  })
})
