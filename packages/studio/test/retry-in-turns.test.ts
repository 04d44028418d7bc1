import { expect } from 'chai'
import { array, assert, asyncProperty, constantFrom, integer } from 'fast-check'
import { inTurns } from '../src/api/in-turns.ts'
import { retryInTurns } from '../src/api/uploads/retry-in-turns.ts'

class Interrupted extends Error {}

interface Work {
  readonly run: (onProgress: () => void) => Promise<string>
  readonly maxRetries?: number
  readonly pause?: () => Promise<void>
  readonly signal?: AbortSignal
  readonly onInterrupted?: (isInterrupted: boolean) => void
}

const never = new AbortController().signal

describe('retryInTurns', () => {
  const start = (
    turn: ReturnType<typeof inTurns>,
    { run, maxRetries = 3, signal = never, ...work }: Work,
  ) =>
    retryInTurns({
      turn,
      signal,
      run,
      maxRetries: (error) => (error instanceof Interrupted ? maxRetries : 0),
      pause: work.pause ?? (() => Promise.resolve()),
      onInterrupted: work.onInterrupted ?? (() => undefined),
    })

  it('lets the next one run while an interrupted one pauses, then continues it', async () => {
    const turn = inTurns(1)
    let goOn = (): void => undefined
    const paused = new Promise<void>((resolve) => (goOn = resolve))
    const told: boolean[] = []
    let attempts = 0
    const first = start(turn, {
      run: () => {
        attempts += 1
        return attempts === 1 ? Promise.reject(new Interrupted()) : Promise.resolve('first')
      },
      pause: () => paused,
      onInterrupted: (isInterrupted) => told.push(isInterrupted),
    })
    expect(await start(turn, { run: () => Promise.resolve('next') })).to.equal('next')
    expect(told).to.deep.equal([false, true])
    goOn()
    expect(await first).to.equal('first')
    expect(told).to.deep.equal([false, true, false])
  })

  it('gives up after the retries without progress, and counts again from zero after progress', async () => {
    let attempts = 0
    const always = start(inTurns(1), {
      run: (onProgress) => {
        attempts += 1
        if (attempts === 3) onProgress()
        return Promise.reject(new Interrupted('still'))
      },
      maxRetries: 2,
    })
    expect(await always.catch(String)).to.equal('Error: still')
    expect(attempts).to.equal(5)
  })

  it('rejects at once with other errors, and with the reason of the signal', async () => {
    let attempts = 0
    const failing = start(inTurns(1), {
      run: () => {
        attempts += 1
        return Promise.reject(new Error('refused'))
      },
    })
    expect(await failing.catch(String)).to.equal('Error: refused')
    expect(attempts).to.equal(1)
    const ended = new AbortController()
    const aborted = start(inTurns(1), {
      run: () => Promise.reject(new Interrupted()),
      signal: ended.signal,
      pause: () => {
        ended.abort(new Error('cancelled'))
        return Promise.reject(ended.signal.reason as Error)
      },
    })
    expect(await aborted.catch(String)).to.equal('Error: cancelled')
  })

  it('finishes all work, within the limit, whatever is interrupted', async () => {
    let interruptions = 0
    let full = 0
    const attempt = constantFrom('interrupted', 'further')
    await assert(
      asyncProperty(
        array(array(attempt, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
        integer({ min: 1, max: 4 }),
        async (plans, limit) => {
          const turn = inTurns(limit)
          let running = 0
          const work = plans.map(async (plan, nth) => {
            const left = [...plan]
            return start(turn, {
              maxRetries: plan.length,
              run: async (onProgress) => {
                running += 1
                expect(running).to.be.at.most(limit)
                if (running === limit) full += 1
                await new Promise((resolve) => setImmediate(resolve))
                running -= 1
                const step = left.shift()
                if (step === undefined) return `${nth}`
                interruptions += 1
                if (step === 'further') onProgress()
                throw new Interrupted()
              },
            })
          })
          const done = await Promise.all(work)
          expect(done).to.deep.equal(plans.map((_, nth) => `${nth}`))
        },
      ),
    )
    expect(interruptions).to.be.greaterThan(100)
    expect(full).to.be.greaterThan(100)
  })
})
