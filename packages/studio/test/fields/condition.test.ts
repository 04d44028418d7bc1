import { expect } from 'chai'
import * as fc from 'fast-check'
import { isMet, namesIn } from '../../src/fields/condition.ts'

const VALUES: Readonly<Record<string, unknown>> = {
  kind: 'video',
  size: 3,
  large: '9007199254740993',
  isNew: false,
  day: '2026-11-24',
  author: { items: [], more: false },
  cover: [{ name: 'a.png' }],
  none: null,
}

const read = (name: string): unknown => VALUES[name]

describe('a condition of a field', () => {
  const met: readonly Readonly<Record<string, unknown>>[] = [
    { kind: 'video' },
    { kind: { $in: ['text', 'video'] } },
    { kind: { $ne: 'text' }, size: { $gt: 2, $lte: 3 } },
    { large: { $gt: 5 } },
    { isNew: false },
    { day: { $lt: '2026-12-01', $gte: '2026-11-24' } },
    { author: { $null: true }, cover: { $notNull: true } },
    { none: { $ne: 'x' } },
    { none: { $notIn: ['x'] } },
    { $or: [{ kind: 'text' }, { $not: { isNew: true } }] },
  ]
  for (const condition of met) {
    it(`is met: ${JSON.stringify(condition)}`, () => {
      expect(isMet(condition, read)).to.equal(true)
      expect(isMet({ $not: condition }, read)).to.equal(false)
    })
  }

  const unmet: readonly Readonly<Record<string, unknown>>[] = [
    { kind: 'text' },
    { none: { $lt: 5 } },
    { none: { $gte: 0 } },
    { isNew: true },
    { author: { $notNull: true } },
    { $and: [{ kind: 'video' }, { size: 4 }] },
  ]
  for (const condition of unmet) {
    it(`is not met: ${JSON.stringify(condition)}`, () => {
      expect(isMet(condition, read)).to.equal(false)
    })
  }

  it('names all attributes that it reads', () => {
    const condition = { a: 1, $or: [{ b: 1 }, { $not: { c: 1 } }], $and: [{ d: { $eq: 1 } }] }
    expect(namesIn(condition)).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('orders numbers as numbers do', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (size, limit) => {
        const at = { size }
        const test = (operator: string): boolean =>
          isMet({ size: { [operator]: limit } }, (name) => at[name as 'size'])
        expect(test('$lt')).to.equal(size < limit)
        expect(test('$gte')).to.equal(size >= limit)
        expect(test('$eq')).to.equal(size === limit)
      }),
    )
  })
})
