import { expect } from 'chai'
import * as fc from 'fast-check'
import { mapConcurrently } from '../../src/base/map-concurrently.ts'

/** Each call ends after this number of turns of the event loop. */
const TURNS = fc.array(fc.nat({ max: 4 }), { maxLength: 20 })
const CONCURRENCY = fc.integer({ min: 1, max: 6 })

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('mapConcurrently', () => {
  it('returns the results in order and never runs more calls at a time', async () => {
    await fc.assert(
      fc.asyncProperty(TURNS, CONCURRENCY, async (turns, concurrency) => {
        let running = 0
        let most = 0
        const results = await mapConcurrently(
          [...turns.entries()],
          concurrency,
          async ([index, count]) => {
            running += 1
            most = Math.max(most, running)
            await pass(count)
            running -= 1
            return index
          },
        )
        expect(results).to.deep.equal([...turns.keys()])
        expect(most).to.equal(Math.min(turns.length, concurrency))
      }),
    )
  })

  it('throws the first error after the running calls, and starts no other', async () => {
    await fc.assert(
      fc.asyncProperty(
        TURNS,
        CONCURRENCY,
        fc.nat({ max: 19 }),
        async (turns, concurrency, failing) => {
          fc.pre(failing < turns.length)
          const started: number[] = []
          let running = 0
          let hasFailed = false
          const failure = new Error('failed')
          const mapped = mapConcurrently(
            [...turns.entries()],
            concurrency,
            async ([index, count]) => {
              expect(hasFailed).to.equal(false)
              started.push(index)
              running += 1
              await pass(count)
              running -= 1
              if (index !== failing) return
              setImmediate(() => (hasFailed = true))
              throw failure
            },
          )
          const thrown: unknown = await mapped.catch((error: unknown) => error)
          expect(thrown).to.equal(failure)
          expect(running).to.equal(0)
          expect(started).to.deep.equal([...started.keys()])
        },
      ),
    )
  })
})
