import { expect } from 'chai'
import { labelOf, printValue, sentenceOf } from '../../../src/schema/values/value-messages.ts'

describe('printValue', () => {
  const rows: readonly [unknown, string][] = [
    ['a', '"a"'],
    [5, '5'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[], '[]'],
    [{}, '{}'],
    [{ a: [null, 'x', 1.5] }, '{\n  "a": [\n    "null",\n    "\\"x\\"",\n    "1.5"\n  ]\n}'],
    [5n, '5'],
    [{ big: 5n }, '{\n  "big": "5"\n}'],
  ]
  for (const [value, printed] of rows) {
    it(`prints ${printed.replace(/\s+/g, ' ')}`, () => {
      expect(printValue(value)).to.equal(printed)
    })
  }

  it('shortens long values', () => {
    expect(printValue('x'.repeat(2000))).to.have.length(1001)
  })
})

describe('labelOf', () => {
  it('writes positions in brackets', () => {
    expect(labelOf(['links', 1, 'label'])).to.equal('links[1].label')
    expect(labelOf(['title'])).to.equal('title')
    expect(labelOf([])).to.equal('this')
  })
})

describe('sentenceOf', () => {
  it('throws for an unknown code', () => {
    const complaint = { code: 'no.such', path: ['a'], context: {} }
    expect(() => sentenceOf(complaint)).to.throw('There is no sentence for no.such at a')
  })
})
