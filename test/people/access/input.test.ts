import { expect } from 'chai'
import Joi from 'joi'
import { readInput, shortText } from '../../../src/people/access/input.ts'
import { ValidationError } from '../../../src/base/errors.ts'

const RULE = Joi.object<{ name: string; days?: number }>({
  name: shortText().required(),
  days: Joi.number(),
})

describe('readInput', () => {
  it('returns valid input', () => {
    expect(readInput(RULE, { name: 'a b', days: 1 })).to.deep.equal({ name: 'a b', days: 1 })
  })

  const refused: readonly [string, unknown, readonly string[]][] = [
    ['undefined input', undefined, ['']],
    ['null', null, ['']],
    ['a text', 'name', ['']],
    ['a list', [{ name: 'x' }], ['']],
    ['text for a number', { name: 'x', days: '1' }, ['days']],
    ['spaces around', { name: ' x' }, ['name']],
    ['two lines', { name: 'x\ny' }, ['name']],
    ['a control character', { name: 'x\u001b[2J' }, ['name']],
    ['several errors', { days: 'x', more: 1 }, ['name', 'days', 'more']],
    ['an own __proto__', JSON.parse('{"name":"x","__proto__":{"days":1}}'), ['__proto__']],
    ['an own constructor', { name: 'x', constructor: 1 }, ['constructor']],
    ['an operator', { name: { $gt: '' } }, ['name']],
  ]
  for (const [label, input, paths] of refused) {
    it(`refuses ${label} and reports the paths`, () => {
      try {
        readInput(RULE, input)
      } catch (error) {
        expect(error).to.be.instanceOf(ValidationError)
        const faults = (error as ValidationError).details?.['errors'] as { path: string[] }[]
        expect(faults.map(({ path }) => path.join('.'))).to.deep.equal(paths)
        return
      }
      expect.fail('was not refused')
    })
  }

  it('reports only the first error for input with thousands of values', () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 1]))
    const list = { name: 'x', days: Array.from({ length: 2_000 }, () => 'x') }
    for (const input of [{ name: 'x', ...many }, list]) {
      expect(() => readInput(RULE, input))
        .to.throw(ValidationError)
        .with.nested.property('details.errors')
        .that.has.length(1)
    }
  })

  it('refuses unpaired surrogates in keys and values', () => {
    for (const input of [
      { name: 'a\ud800' },
      { name: 'x', 'k\udfff': 1 },
      { name: ['\udbff\ud83d'] },
    ]) {
      expect(() => readInput(RULE, input)).to.throw(/must not contain half of a surrogate pair$/)
    }
    expect(readInput(RULE, { name: 'a😀' })).to.deep.equal({ name: 'a😀' })
  })
})
