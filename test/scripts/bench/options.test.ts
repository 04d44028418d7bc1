import { expect } from 'chai'
import { readBenchOptions } from '../../../scripts/bench/options.ts'

describe('readBenchOptions', () => {
  it('has a short run for its default', () => {
    expect(readBenchOptions([])).to.include({ rounds: 3, seconds: 1, posts: 1000, workload: null })
  })

  it('takes what is given', () => {
    const given = ['--workload', 'list', '--rounds', '7', '--json', '--plots', 'here']
    expect(readBenchOptions(given)).to.include({
      workload: 'list',
      rounds: 7,
      json: true,
      plots: 'here',
    })
  })

  for (const args of [['--rounds', '0'], ['--cities', 'all'], ['--nope'], ['list']]) {
    it(`refuses ${args.join(' ')}`, () => {
      expect(() => readBenchOptions(args)).to.throw()
    })
  }
})
