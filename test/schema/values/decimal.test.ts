import { expect } from 'chai'
import {
  Decimal,
  divideDecimal,
  significantDigits,
  wholeText,
} from '../../../src/schema/values/decimal.ts'

describe('Decimal', () => {
  it('prints its original text', () => {
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

  const ordered = [
    '-1E+6144',
    '-12345678901234567890.5',
    '-0.10000000000000000002',
    '-0.1',
    '-1E-6176',
    '0',
    '1E-6176',
    '0.1',
    '0.10000000000000000001',
    '0.9',
    '1',
    '2.5',
    '9',
    '10',
    '1E+3',
    '12345678901234567890.5',
    '12345678901234567890.51',
    '1E+6144',
  ].map(decimalOf)
  it('compares all digits', () => {
    for (const [index, one] of ordered.entries()) {
      for (const [at, other] of ordered.entries()) {
        const order = Math.sign(one.compareTo(other))
        expect(order, `${one.text} and ${other.text}`).to.equal(Math.sign(index - at))
      }
    }
  })

  for (const [one, other] of [
    ['0', '-0.00'],
    ['0.1', '.100'],
    ['1000', '1E+3'],
    ['-0012.0', '-12'],
  ] as const) {
    it(`treats ${one} and ${other} as equal`, () => {
      expect(decimalOf(one).compareTo(decimalOf(other))).to.equal(0)
    })
  }
})

function decimalOf(text: string): Decimal {
  const decimal = Decimal.parse(text)
  if (decimal === null) throw new Error(`${text} is no decimal`)
  return decimal
}

describe('significantDigits', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['-1.50', '-15E-1'],
    ['1.5', '15E-1'],
    ['0.00', '0'],
    ['1E+3', '1E3'],
    ['1000', '1E3'],
    ['.5', '5E-1'],
  ]
  for (const [text, digits] of rows) {
    it(`are ${digits} for ${text}`, () => {
      expect(significantDigits(text)).to.equal(digits)
    })
  }
})

describe('divideDecimal', () => {
  const rows: readonly [text: string, by: number, quotient: number][] = [
    ['0', 3, 0],
    ['0.3', 3, 0.1],
    ['-2', 3, -2 / 3],
    ['18446744073709551613', 2, 2 ** 63],
    ['1E-6000', 7, 0],
    ['1.5E+300', 3, 5e299],
    ['.5', 2, 0.25],
  ]
  for (const [text, by, quotient] of rows) {
    it(`divides ${text} by ${by}`, () => {
      expect(divideDecimal(text, by)).to.equal(quotient)
    })
  }
})

describe('wholeText', () => {
  for (const [text, whole] of [
    ['0', '0'],
    ['18446744073709551613', '18446744073709551613'],
    ['-1.8E+20', '-180000000000000000000'],
  ] as const) {
    it(`prints ${text} without an exponent`, () => {
      expect(wholeText(text)).to.equal(whole)
    })
  }
})
