import { expect } from 'chai'
import { Decimal128, Double, Long } from 'bson'
import * as fc from 'fast-check'
import type { NumberValue } from '../../src/bson/numbers.ts'
import { toDocument, type Value } from '../../src/bson/values.ts'
import { compileExpression } from '../../src/expression/expressions.ts'

function modulo(left: Value, right: Value): Value {
  return compileExpression(toDocument({ $mod: [left, right] }))(toDocument({}), new Map())
}

function decimal(text: string): Decimal128 {
  return Decimal128.fromString(text)
}

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/mod/ */
const DECIMALS: readonly (readonly [left: NumberValue, right: NumberValue, rest: string])[] = [
  [decimal('7.80'), 1, '0.80'],
  [decimal('-7.8'), 1, '-0.8'],
  [decimal('6'), decimal('2.5'), '1.0'],
  [7, decimal('2.5'), '2.0'],
  [decimal('9E+40'), 1, '0'],
  [decimal('1E-6176'), 1, '1E-6176'],
  [decimal('1E+6111'), decimal('7'), '6'],
  [new Double(1.5), decimal('1'), '0.5'],
  [decimal('NaN'), 1, 'NaN'],
  [decimal('Infinity'), 1, 'NaN'],
]

describe('$mod', () => {
  for (const [left, right, rest] of DECIMALS) {
    it(`leaves ${rest} of ${left.toString()} by ${right.toString()}`, () => {
      expect((modulo(left, right) as Decimal128).toString()).to.equal(rest)
    })
  }

  it('leaves the fraction of each decimal', () => {
    const digits = fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n })
    fc.assert(
      fc.property(digits, fc.integer({ min: -33, max: 0 }), (coefficient, exponent) => {
        const rest = coefficient % 10n ** BigInt(-exponent)
        const found = modulo(decimal(`${coefficient}E${exponent}`), 1) as Decimal128
        expect(found.toString()).to.equal(decimal(`${rest}E${exponent}`).toString())
      }),
    )
  })

  it('keeps the wider type of integers and doubles', () => {
    expect(modulo(-7, 4)).to.equal(-3)
    expect(modulo(7, Long.fromNumber(4))).to.deep.equal(Long.fromNumber(3))
    expect(modulo(new Double(9_007_199_254_740_991), 1)).to.deep.equal(new Double(0))
    expect(modulo(new Double(-7.5), 2)).to.deep.equal(new Double(-1.5))
    expect(modulo(null, 2)).to.equal(null)
  })

  it('refuses a divisor of zero, and texts', () => {
    for (const zero of [0, new Double(0), Long.ZERO, decimal('0E+3')]) {
      expect(() => modulo(5, zero)).to.throw('by zero')
    }
    expect(() => modulo('5', 2)).to.throw('numeric')
  })
})
