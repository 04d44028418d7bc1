import { expect } from 'chai'
import { findJsonFault } from '../../../src/schema/values/json-values.ts'

const nested = (levels: number): unknown => {
  let value: unknown = 'bottom'
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

describe('findJsonFault', () => {
  it('accepts all valid JSON', () => {
    const fine = [null, 5, 'text', [], { 'a.b': 1, constructor: 'Lotus', '': [{ $: 1 }] }]
    for (const value of fine) expect(findJsonFault(value)).to.equal(null)
    expect(findJsonFault({ '😀': '😀', low: -1.79e308 })).to.equal(null)
    expect(findJsonFault({ a: [{ $where: 1 }], b: { _bsontype: 'Long' } })).to.equal(null)
  })

  const faults: readonly [string, unknown, readonly string[]][] = [
    ['a prototype', JSON.parse('{"a":{"__proto__":{}}}'), ['a', '__proto__']],
    ['NUL in a text', { a: 'x\0' }, ['a']],
    ['NUL in a key', { 'x\0': 1 }, ['x\0']],
    ['an unpaired surrogate in a text', ['x\ud800y'], ['0']],
    ['an unpaired surrogate in a key', { '\udc00': 1 }, ['\udc00']],
    ['an infinite number', JSON.parse('{"a":[1e400]}'), ['a', '0']],
  ]
  for (const [label, value, path] of faults) {
    it(`finds ${label}`, () => {
      expect(findJsonFault(value)?.path).to.deep.equal(path)
    })
  }

  it('reports nesting above 50 levels', () => {
    expect(findJsonFault(nested(50))).to.equal(null)
    expect(findJsonFault(nested(51))?.code).to.equal('json.depth')
    expect(findJsonFault(nested(5000))?.code).to.equal('json.depth')
  })
})
