import { expect } from 'chai'
import { readBenchOptions } from '../../src/bench/options.ts'

describe('readBenchOptions', () => {
  it('defaults to a short run', () => {
    expect(readBenchOptions([])).to.deep.include({
      rounds: 3,
      seconds: 1,
      posts: [10_000],
      connections: [10],
      workloads: null,
    })
  })

  it('reads all options', () => {
    const given = ['--workload', 'list,by slug', '--rounds', '7', '--json', '--plots', 'here']
    expect(readBenchOptions(given)).to.deep.include({
      workloads: ['list', 'by slug'],
      rounds: 7,
      json: true,
      plots: 'here',
    })
  })

  it('reads several numbers of articles, sorted, and of connections', () => {
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
