import { expect } from 'chai'
import { ServiceUnavailableError } from '../../src/base/errors.ts'
import { createWorkQueue } from '../../src/base/work-queue.ts'

describe('createWorkQueue', () => {
  it('limits concurrency, keeps the order and refuses work beyond its queue', async () => {
    const queue = createWorkQueue({
      concurrency: 2,
      maxWaiting: 1,
      maxWaitMs: 60_000,
      refusal: 'Too many',
    })
    const started: string[] = []
    const ends = new Map<string, () => void>()
    const work = (name: string) => (): Promise<string> => {
      started.push(name)
      return new Promise((resolve) => ends.set(name, () => resolve(name)))
    }
    const [first, second, third] = ['a', 'b', 'c'].map((name) => queue.run(work(name)))
    const refused = await queue.run(work('d')).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(ServiceUnavailableError)
    expect(started).to.deep.equal(['a', 'b'])
    ends.get('a')?.()
    expect(await first).to.equal('a')
    ends.get('b')?.()
    await second
    expect(started).to.deep.equal(['a', 'b', 'c'])
    ends.get('c')?.()
    expect(await third).to.equal('c')
  })

  it('continues after a failure', async () => {
    const queue = createWorkQueue({
      concurrency: 1,
      maxWaiting: 5,
      maxWaitMs: 60_000,
      refusal: 'Too many',
    })
    const failing = queue.run(() => Promise.reject(new Error('no')))
    const next = queue.run(() => Promise.resolve('yes'))
    expect(String(await failing.catch((error: unknown) => error))).to.equal('Error: no')
    expect(await next).to.equal('yes')
  })

  it('drops expired and aborted work and runs urgent work first', async () => {
    const queue = createWorkQueue({
      concurrency: 1,
      maxWaiting: 5,
      maxWaitMs: 20,
      refusal: 'Too many',
    })
    const order: string[] = []
    let end = (): void => undefined
    const first = queue.run(() => new Promise<void>((resolve) => (end = resolve)))
    const note = (name: string) => () => Promise.resolve(void order.push(name))
    const gone = new AbortController()
    const dropped = [queue.run(note('late')), queue.run(note('gone'), { signal: gone.signal })]
    const urgent = queue.run(note('urgent'), { isUrgent: true })
    gone.abort()
    for (const one of dropped) {
      expect(await one.catch((error: unknown) => error)).to.be.instanceOf(ServiceUnavailableError)
    }
    const last = queue.run(note('last'))
    const next = queue.run(note('next'), { isUrgent: true })
    end()
    await Promise.all([first, urgent, next, last])
    expect(order).to.deep.equal(['urgent', 'next', 'last'])
  })
})
