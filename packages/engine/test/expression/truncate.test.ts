import { expect } from 'chai'
import { Decimal128, Double, Int32, Long } from 'bson'
import * as fc from 'fast-check'
import type { Value } from '../../src/bson/values.ts'
import { toDocument } from '../../src/bson/values.ts'
import { compileExpression } from '../../src/expression/expressions.ts'

function truncate(...operands: readonly Value[]): Value {
  return compileExpression(toDocument({ $trunc: [...operands] }))(toDocument({}), new Map())
}

function truncated(text: string): string {
  return (truncate(decimal(text)) as Decimal128).toString()
}

function decimal(text: string): Decimal128 {
  return Decimal128.fromString(text)
}

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/trunc/ */
const DECIMALS: readonly (readonly [given: string, whole: string])[] = [
  ['7.80', '7'],
  ['-7.8', '-7'],
  ['-2.3', '-2'],
  ['0', '0'],
  ['0.99', '0'],
  ['-0.99', '-0'],
  ['19.25', '19'],
  ['1E-6176', '0'],
  ['123.456E+1', '1234'],
  ['9E+40', '9E+40'],
  ['9999999999999999999999999999999999', '9999999999999999999999999999999999'],
  ['-99999999999999999999999999999999.99', '-99999999999999999999999999999999'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['-Infinity', '-Infinity'],
]

describe('$trunc', () => {
  for (const [given, whole] of DECIMALS) {
    it(`makes ${whole} of the decimal ${given}`, () => {
      expect(truncated(given)).to.equal(whole)
    })
  }

  it('cuts the digits behind the point of each decimal', () => {
    const digits = fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n })
    fc.assert(
      fc.property(digits, fc.integer({ min: -40, max: 0 }), (coefficient, exponent) => {
        const whole = coefficient / 10n ** BigInt(-exponent)
        const found = truncated(`${coefficient}E${exponent}`)
        expect(BigInt(found)).to.equal(whole)
        expect(found.startsWith('-')).to.equal(coefficient < 0n)
      }),
    )
  })

  it('keeps integers and their types, and cuts doubles', () => {
    const long = Long.fromString('9007199254740993')
    expect(truncate(long)).to.deep.equal(long)
    expect(truncate(-3)).to.equal(-3)
    expect(truncate(new Double(-1.9))).to.deep.equal(new Double(-1))
    expect(truncate(null)).to.equal(null)
    expect(truncate(undefined)).to.equal(null)
  })

  it('refuses texts and the number of places, which this engine does not have', () => {
    expect(() => truncate('1.5')).to.throw('numeric')
    expect(() => truncate(decimal('1.55'), new Int32(1) as unknown as Value)).to.throw(/\$trunc/)
  })
})
