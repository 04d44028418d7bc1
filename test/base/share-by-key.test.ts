import { expect } from 'chai'
import { shareByKey, shareNextByKey } from '../../src/base/share-by-key.ts'

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

describe('shareByKey', () => {
  it('gives callers during a run its result and runs again afterwards', async () => {
    const share = shareByKey<string, number>()
    const { runs, work } = controlled()
    const both = [share('a', work), share('a', work)]
    expect(runs).to.have.length(1)
    runs[0]?.end(1)
    expect(await Promise.all(both)).to.deep.equal([1, 1])
    const third = share('a', work)
    runs[1]?.end(2)
    expect(await third).to.equal(2)
  })

  it('keeps keys separate', async () => {
    const share = shareByKey<string, number>()
    const { runs, work } = controlled()
    const both = [share('a', work), share('b', work)]
    runs.forEach(({ end }, index) => end(index))
    expect(await Promise.all(both)).to.deep.equal([0, 1])
  })

  it('passes a failure to all callers of the run and does not cache it', async () => {
    const share = shareByKey<string, number>()
    const { runs, work } = controlled()
    const both = [share('a', work), share('a', work)]
    runs[0]?.fail(new Error('lost'))
    for (const { status } of await Promise.allSettled(both)) expect(status).to.equal('rejected')
    const third = share('a', work)
    runs[1]?.end(2)
    expect(await third).to.equal(2)
  })
})

describe('shareNextByKey', () => {
  it('gives callers during a run the result of one later run', async () => {
    const share = shareNextByKey<string, number>(100)
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
    const share = shareNextByKey<string, number>(100)
    let runs = 0
    const work = (): Promise<number> => Promise.resolve((runs += 1))
    expect([await share('a', work), await share('a', work)]).to.deep.equal([1, 2])
  })

  it('keeps keys separate', async () => {
    const share = shareNextByKey<string, number>(100)
    const { runs, work } = controlled()
    const both = [share('a', work), share('b', work)]
    runs.forEach(({ end }, index) => end(index))
    expect(await Promise.all(both)).to.deep.equal([0, 1])
  })

  it('does not pass a failure to callers that came during the run', async () => {
    const share = shareNextByKey<string, number>(100)
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
    const share = shareNextByKey<string, number>(100)
    const { runs, work } = controlled()
    const first = share('a', work)
    const second = share('a', () => Promise.resolve(2))
    expect(await second).to.equal(2)
    runs[0]?.end(1)
    expect(await first).to.equal(1)
  })

  it('waits for a slow run without a time limit', async () => {
    const share = shareNextByKey<string, number>()
    const { runs, work } = controlled()
    const both = [share('a', work), share('a', work)]
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(runs).to.have.length(1)
    runs[0]?.end(1)
    await turn()
    runs[1]?.end(2)
    expect(await Promise.all(both)).to.deep.equal([1, 2])
  })
})
