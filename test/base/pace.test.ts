import { expect } from 'chai'
import * as fc from 'fast-check'
import { openPace, openTimeBudget } from '../../src/base/pace.ts'

/** A clock that the test sets, with the saved time. */
function openTime() {
  let time = 0
  const savings = openTimeBudget(() => time)
  return {
    pass: (ms: number): void => void (time += ms),
    /** Simulates a run and returns the pause after it. */
    run: (ms: number): number => {
      time += ms
      return savings.spend(ms)
    },
  }
}

describe('the pace of work that follows commits', () => {
  it('does not pause after occasional runs', () => {
    const time = openTime()
    for (let each = 0; each < 50; each += 1) {
      expect(time.run(10), `run ${each}`).to.equal(0)
      time.pass(300)
    }
  })

  it('pauses between 100 and 400 ms under load', () => {
    const time = openTime()
    while (time.run(20) === 0);
    const rests = Array.from({ length: 20 }, (_, each) => {
      const rest = time.run(10 * each)
      time.pass(rest)
      return rest
    })
    expect(rests.filter((rest) => rest !== 0 && (rest < 100 || rest > 400))).to.deep.equal([])
    expect(rests.at(-1)).to.equal(400)
  })

  it('uses at most 5 % of the time, plus a saved allowance', () => {
    const step = fc.record({ ms: fc.nat({ max: 20 }), idle: fc.nat({ max: 500 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const time = openTime()
        let [taken, passed] = [0, 0]
        for (const { ms, idle } of steps) {
          const pause = Math.max(time.run(ms), idle)
          time.pass(pause)
          taken += ms
          passed += ms + pause
        }
        expect(taken).to.be.at.most(0.05 * passed + 200 + 20)
      }),
    )
  })

  it('runs again for events during a run and not after it is stopped', async () => {
    let runs = 0
    let wake = (): void => undefined
    const twice = new Promise<void>((resolve) => {
      const pace = openPace({
        run: () => {
          runs += 1
          if (runs === 1) wake()
          else void pace.stop().then(resolve)
          return Promise.resolve(true)
        },
      })
      wake = () => pace.wake()
    })
    wake()
    await twice
    wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(runs).to.equal(2)
  })
})
