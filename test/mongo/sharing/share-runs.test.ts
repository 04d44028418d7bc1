import { expect } from 'chai'
import { createSharedRuns } from '../../../src/mongo/sharing/share-runs.ts'

interface Run {
  readonly end: (value: number) => void
  readonly fail: (error: Error) => void
}

/** Work that ends when the test ends it. */
function controlled(): { readonly runs: Run[]; readonly work: () => Promise<number> } {
  const runs: Run[] = []
  const work = (): Promise<number> =>
    new Promise((resolve, reject) => {
      runs.push({ end: resolve, fail: reject })
    })
  return { runs, work }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('createSharedRuns', () => {
  it('gives callers during a run the result of one later run', async () => {
    const share = createSharedRuns<number>()
    const { runs, work } = controlled()
    const first = share('a', work)
    const [second, third] = [share('a', work), share('a', work)]
    expect(runs).to.have.length(1)
    runs[0]?.end(1)
    expect(await first).to.equal(1)
    await turn()
    expect(runs).to.have.length(2)
    const fourth = share('a', work)
    runs[1]?.end(2)
    expect(await Promise.all([second, third])).to.deep.equal([2, 2])
    await turn()
    expect(runs).to.have.length(3)
    runs[2]?.end(3)
    expect(await fourth).to.equal(3)
  })

  it('runs again for each sequential caller', async () => {
    const share = createSharedRuns<number>()
    let runs = 0
    const work = (): Promise<number> => Promise.resolve((runs += 1))
    expect([await share('a', work), await share('a', work)]).to.deep.equal([1, 2])
  })

  it('keeps keys separate', async () => {
    const share = createSharedRuns<number>()
    const { runs, work } = controlled()
    const both = [share('a', work), share('b', work)]
    runs.forEach(({ end }, index) => end(index))
    expect(await Promise.all(both)).to.deep.equal([0, 1])
  })

  it('does not pass a failure to callers that came during the run', async () => {
    const share = createSharedRuns<number>()
    const { runs, work } = controlled()
    const first = share('a', work)
    const second = share('a', work)
    runs[0]?.fail(new Error('lost'))
    expect(await first.catch((error: unknown) => error)).to.be.instanceOf(Error)
    await turn()
    runs[1]?.end(2)
    expect(await second).to.equal(2)
  })

  it('starts next to a slow run', async () => {
    const share = createSharedRuns<number>()
    const { runs, work } = controlled()
    const first = share('a', work)
    const second = share('a', () => Promise.resolve(2))
    expect(await second).to.equal(2)
    runs[0]?.end(1)
    expect(await first).to.equal(1)
  })
})
