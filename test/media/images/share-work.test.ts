import { expect } from 'chai'
import { ServiceUnavailableError, ValidationError } from '../../../src/base/errors.ts'
import { Aborted, TooSlow } from '../../../src/media/images/image-processes.ts'
import { shareWork } from '../../../src/media/images/share-work.ts'

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

/** Creates work that ends when the test ends or aborts it. */
function controlled(): {
  readonly work: (signal: AbortSignal) => Promise<string>
  readonly end: (failure?: Error) => void
  readonly begun: () => number
} {
  let [begun, end] = [0, (_failure?: Error): void => undefined]
  return {
    work: (signal) => {
      begun += 1
      return new Promise((resolve, reject) => {
        end = (failure) => (failure === undefined ? resolve('done') : reject(failure))
        signal.addEventListener('abort', () => reject(new Aborted()))
      })
    },
    end: (failure) => end(failure),
    begun: () => begun,
  }
}

describe('shareWork', () => {
  it('runs once for several callers and continues while one of them waits', async () => {
    const [shared, { work, end, begun }] = [shareWork<string>(), controlled()]
    const [first, second] = [new AbortController(), new AbortController()]
    const asked = [first, second].map(({ signal }) => shared('a', signal, work))
    first.abort()
    end()
    expect(await Promise.all(asked)).to.deep.equal(['done', 'done'])
    expect(begun()).to.equal(1)
  })

  it('aborts when all callers are gone and starts again for the next one', async () => {
    const [shared, { work, end, begun }] = [shareWork<string>(), controlled()]
    const askers = [new AbortController(), new AbortController()]
    const asked = askers.map(({ signal }) => failureOf(shared('a', signal, work)))
    for (const asker of askers) asker.abort()
    for (const failure of await Promise.all(asked)) {
      expect(failure).to.be.instanceOf(ServiceUnavailableError)
    }
    const next = shared('a', new AbortController().signal, work)
    end()
    expect([await next, begun()]).to.deep.equal(['done', 2])
  })

  it('does not start for an aborted caller', async () => {
    const [shared, { work, begun }] = [shareWork<string>(), controlled()]
    expect(await failureOf(shared('a', AbortSignal.abort(), work))).to.include({ status: 503 })
    expect(begun()).to.equal(0)
  })

  it('refuses work that took too long for a while, for the same name only', async () => {
    let now = 0
    const shared = shareWork<string>(() => now)
    const ask = (name: string, work: () => Promise<string>): Promise<unknown> =>
      shared(name, new AbortController().signal, work)
    const slow = (): Promise<string> => Promise.reject(new TooSlow())
    const quick = (): Promise<string> => Promise.resolve('done')
    expect(await failureOf(ask('a', slow))).to.be.instanceOf(ValidationError)
    expect(await failureOf(ask('a', quick))).to.be.instanceOf(ValidationError)
    expect(await ask('b', quick)).to.equal('done')
    now = 600_001
    expect(await ask('a', quick)).to.equal('done')
  })
})
