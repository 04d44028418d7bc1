import { expect } from 'chai'
import { readBenchOptions } from '../../../scripts/bench/options.ts'

describe('readBenchOptions', () => {
  it('has a short run for its default', () => {
    expect(readBenchOptions([])).to.deep.include({
      rounds: 3,
      seconds: 1,
      posts: [10_000],
      connections: [10],
      workloads: null,
    })
  })

  it('takes what is given', () => {
    const given = ['--workload', 'list,by slug', '--rounds', '7', '--json', '--plots', 'here']
    expect(readBenchOptions(given)).to.deep.include({
      workloads: ['list', 'by slug'],
      rounds: 7,
      json: true,
      plots: 'here',
    })
  })

  it('takes several numbers of articles, the smallest first, and of connections', () => {
    const given = ['--posts', '500,20', '--connections', '1,4']
    expect(readBenchOptions(given)).to.deep.include({ posts: [20, 500], connections: [1, 4] })
    expect(readBenchOptions(['--full'])).to.deep.include({
      posts: [10_000, 100_000],
      connections: [1, 10, 50],
    })
  })

  for (const args of [
    ['--posts', '10,'],
    ['--rounds', '0'],
    ['--cities', 'all'],
    ['--nope'],
    ['list'],
  ]) {
    it(`refuses ${args.join(' ')}`, () => {
      expect(() => readBenchOptions(args)).to.throw()
    })
  }
})
