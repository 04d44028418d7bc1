import { expect } from 'chai'
import {
  parseBigInteger,
  parseDecimal,
  parseNumber,
} from '../../../src/schema/values/attribute-kinds.ts'

describe('parseNumber', () => {
  const rows: readonly [string, number | null][] = [
    ['7', 7],
    ['1e0', 1],
    [' 3 ', 3],
    ['+3', 3],
    ['0x10', 16],
    ['-1.5', -1.5],
    ['', null],
    [' ', null],
    ['1 0', null],
    ['NaN', null],
    ['Infinity', null],
    ['1,5', null],
    ['1n', null],
  ]
  for (const [text, expected] of rows) {
    it(`parses ${JSON.stringify(text)} as ${expected}`, () => {
      expect(parseNumber(text)).to.equal(expected)
    })
  }
})

describe('parseBigInteger', () => {
  it('keeps all digits', () => {
    expect(parseBigInteger(' +9007199254740993 ')).to.equal(9007199254740993n)
    expect(parseBigInteger('-5')).to.equal(-5n)
  })
  it('returns null for other texts', () => {
    for (const text of ['', '5.5', '0x10', '1e3', '9'.repeat(101)]) {
      expect(parseBigInteger(text)).to.equal(null)
    }
  })
})

describe('parseDecimal', () => {
  it('keeps its digits as written', () => {
    expect(parseDecimal('1.2300')?.text).to.equal('1.2300')
    expect(parseDecimal('.5')?.text).to.equal('.5')
    expect(parseDecimal('1e-300')?.text).to.equal('1e-300')
    expect(parseDecimal('0x10')?.text).to.equal('16')
  })
  it('returns null for values out of range', () => {
    for (const text of ['', '.', 'x', '1'.repeat(35), '1e7000', '1e-7000', 'Infinity']) {
      expect(parseDecimal(text)).to.equal(null)
    }
  })
})
