import { expect } from 'chai'
import { Decimal } from '../../src/schema/decimal.ts'

describe('Decimal', () => {
  it('prints what was written', () => {
    expect(String(Decimal.parse(' 1.50 '))).to.equal('1.50')
  })

  const rows: readonly [string, boolean][] = [
    ['0', true],
    ['-0.0', true],
    ['5.', true],
    ['9.999999999999999999999999999999999E+6144', true],
    ['1E+6145', false],
    ['1E-6176', true],
    ['1E-6177', false],
    ['12345678901234567890123456789012345', false],
    ['0000000000000000000000000000000000001', true],
    ['1e', false],
    ['', false],
    ['-', false],
  ]
  for (const [text, fits] of rows) {
    it(`${fits ? 'accepts' : 'refuses'} ${JSON.stringify(text)}`, () => {
      expect(Decimal.parse(text) !== null).to.equal(fits)
    })
  }
})
