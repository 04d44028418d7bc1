import { expect } from 'chai'
import { readSoakOptions } from '../../src/soak/options.ts'

describe('readSoakOptions', () => {
  it('defaults to an hour', () => {
    expect(readSoakOptions([])).to.include({ seconds: 3600, everySeconds: 60, processes: 1 })
  })

  it('reads all options', () => {
    const given = [
      '--seconds',
      '5',
      '--every',
      '1',
      '--strangers',
      '0',
      '--processes',
      '4',
      '--json',
    ]
    expect(readSoakOptions(given)).to.include({
      seconds: 5,
      everySeconds: 1,
      strangers: 0,
      processes: 4,
      json: true,
    })
  })

  for (const args of [
    ['--seconds', '0'],
    ['--every', ''],
    ['--readers', '-1'],
    ['--processes', '0'],
    ['--nope'],
  ]) {
    it(`refuses ${JSON.stringify(args)}`, () => {
      expect(() => readSoakOptions(args)).to.throw()
    })
  }
})
