import { expect } from 'chai'
import { openRunner } from '../../../src/mongo/jobs/runner.ts'
import { until } from '../../support/until.ts'

/** Work that ends when the test ends it. */
function pieces(count: number) {
  const waiting: (() => void)[] = []
  let left = count
  let running = 0
  let most = 0
  let ended = 0
  return {
    add: (more: number) => (left += more),
    running: () => running,
    most: () => most,
    ended: () => ended,
    left: () => left,
    end: () => waiting.shift()?.(),
    next: (): Promise<(() => Promise<void>) | null> => {
      if (left === 0) return Promise.resolve(null)
      left -= 1
      return Promise.resolve(async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise<void>((resolve) => waiting.push(resolve))
        running -= 1
        ended += 1
      })
    },
  }
}

const never = 3_600_000
const rethrow = (error: unknown): never => {
  throw error
}

describe('the runner of background work', () => {
  it('limits concurrency and continues with the rest', async () => {
    const work = pieces(5)
    const runner = openRunner({ lanes: [{ atOnce: 2, ...work }], onError: rethrow, lookMs: never })
    runner.wake()
    for (let done = 0; done < 5; done += 1) {
      await until(() => work.running() === Math.min(2, 5 - done), 5_000)
      work.end()
      await until(() => work.ended() === done + 1, 5_000)
    }
    await runner.close()
    expect(work.most()).to.equal(2)
    expect(work.left()).to.equal(0)
  })

  it('polls for work and also looks when it is woken', async () => {
    const work = pieces(0)
    const byItself = openRunner({ lanes: [{ atOnce: 1, ...work }], onError: rethrow, lookMs: 10 })
    work.add(1)
    await until(() => work.running() === 1, 5_000)
    work.end()
    await byItself.close()
    const woken = openRunner({ lanes: [{ atOnce: 1, ...work }], onError: rethrow, lookMs: never })
    work.add(1)
    woken.wake()
    await until(() => work.running() === 1, 5_000)
    work.end()
    await woken.close()
  })

  it('looks again when a job becomes due soon', async () => {
    const work = pieces(0)
    let asked = 0
    const soon = (): Promise<number | null> => {
      asked += 1
      if (asked > 1) return Promise.resolve(null)
      work.add(1)
      return Promise.resolve(20)
    }
    const lanes = [{ atOnce: 1, next: work.next }]
    const runner = openRunner({ lanes, soon, onError: rethrow, lookMs: never })
    runner.wake()
    await until(() => work.running() === 1, 5_000)
    work.end()
    await runner.close()
    expect(work.left()).to.equal(0)
  })

  it('looks in no lane at a poll until work is due', async () => {
    const looksAtPoll: number[] = []
    let looks = 0
    const lane = {
      atOnce: 1,
      next: () => {
        looks += 1
        return Promise.resolve(null)
      },
    }
    const soon = (leastMs: number): Promise<number | null> => {
      looksAtPoll.push(looks)
      return Promise.resolve(looksAtPoll.length < 5 || leastMs > 0 ? null : 0)
    }
    const runner = openRunner({ lanes: [lane, lane], soon, onError: rethrow, lookMs: 5 })
    await until(() => looks >= 2, 5_000)
    await runner.close()
    expect(looksAtPoll.slice(0, 5)).to.deep.equal([0, 0, 0, 0, 0])
  })

  it('leaves work that a lookup refuses to the next poll', async () => {
    let looks = 0
    const lane = {
      atOnce: 1,
      next: () => {
        looks += 1
        return Promise.resolve(null)
      },
    }
    const soon = (leastMs: number) => Promise.resolve(leastMs > 0 ? null : 0)
    const runner = openRunner({ lanes: [lane], soon, onError: rethrow, lookMs: never })
    runner.wake()
    await until(() => looks === 1, 5_000)
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
    await runner.close()
    expect(looks).to.equal(1)
  })

  it('wakes for the next work although due work is refused', async () => {
    let looks = 0
    const next = () => {
      looks += 1
      return Promise.resolve(null)
    }
    const soon = (leastMs: number): Promise<number | null> => {
      const times = looks > 1 ? [0] : [0, 20]
      return Promise.resolve(times.find((time) => time >= leastMs) ?? null)
    }
    const lanes = [{ atOnce: 1, next }]
    const runner = openRunner({ lanes, soon, onError: rethrow, lookMs: never })
    runner.wake()
    await until(() => looks === 2, 5_000)
    await runner.close()
  })

  it('reports failed polls and continues', async () => {
    const errors: unknown[] = []
    const work = pieces(1)
    let polls = 0
    const soon = (leastMs: number): Promise<number | null> => {
      polls += 1
      if (polls === 1) return Promise.reject(new Error('poll'))
      return Promise.resolve(leastMs > 0 ? null : 0)
    }
    const onError = (error: unknown) => errors.push(error)
    const runner = openRunner({ lanes: [{ atOnce: 1, ...work }], soon, onError, lookMs: 5 })
    await until(() => work.running() === 1, 5_000)
    work.end()
    await runner.close()
    expect(errors.map(String)).to.deep.equal(['Error: poll'])
  })

  it('reports failed lookups and failed jobs and continues', async () => {
    const errors: unknown[] = []
    let looks = 0
    const next = (): Promise<(() => Promise<void>) | null> => {
      looks += 1
      if (looks === 1) return Promise.reject(new Error('look'))
      if (looks === 2) return Promise.resolve(() => Promise.reject(new Error('piece')))
      return Promise.resolve(null)
    }
    const runner = openRunner({
      lanes: [{ atOnce: 1, next }],
      onError: (error) => errors.push(error),
      lookMs: 10,
    })
    await until(() => looks > 3, 5_000)
    await runner.close()
    expect(errors.map(String)).to.deep.equal(['Error: look', 'Error: piece'])
  })

  it('finishes running jobs on close and starts no new ones', async () => {
    const work = pieces(3)
    const runner = openRunner({ lanes: [{ atOnce: 1, ...work }], onError: rethrow, lookMs: 10 })
    runner.wake()
    await until(() => work.running() === 1, 5_000)
    let isClosed = false
    const closing = runner.close().then(() => (isClosed = true))
    await new Promise(setImmediate)
    expect(isClosed).to.equal(false)
    work.end()
    await closing
    expect(work.left()).to.equal(2)
  })
})
