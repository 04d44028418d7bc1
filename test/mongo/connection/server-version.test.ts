import { expect } from 'chai'
import { parseServerVersion, refusalOf } from '../../../src/mongo/connection/server-version.ts'

describe('refusalOf', () => {
  for (const text of [
    '4.9.0',
    '4.9.1-alpha3',
    '5.0.0',
    '5.0.31',
    '6.0',
    '7.0.0',
    '8.2.6',
    '10.0.1',
  ]) {
    it(`lets ${text} run`, () => {
      expect(refusalOf(parseServerVersion(text))).to.equal(null)
    })
  }

  for (const text of ['3.6.23', '4.0.28', '4.4.29', '4.8.0', '4', '', 'unknown']) {
    it(`refuses ${text === '' ? 'no version at all' : text}`, () => {
      expect(refusalOf(parseServerVersion(text))).to.equal(
        `MongoDB ${text} is too old: at least 5.0 is needed`,
      )
    })
  }
})

describe('isAtLeast', () => {
  it('compares numbers, not texts', () => {
    const isJoining = (text: string) => parseServerVersion(text).isAtLeast(5, 1)
    expect(['4.9.0', '5.0.9', '5.1.0', '5.10.0', '10.0.0'].map(isJoining)).to.deep.equal([
      false,
      false,
      true,
      true,
      true,
    ])
  })
})
