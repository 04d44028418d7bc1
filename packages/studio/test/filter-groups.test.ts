import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Attributes } from '../src/api/attributes.ts'
import {
  type FilterItem,
  isFilterGroup,
  toFilters,
  withGroup,
} from '../src/screens/list/filter-groups.ts'
import { readListSearch } from '../src/screens/list/list-search.ts'
import type { FilterWord } from '../src/screens/list/filter-words.ts'

const ATTRIBUTES: Attributes = { a: { type: 'boolean' }, b: { type: 'boolean' } }

type Values = Readonly<Record<string, boolean>>

const word = fc.record({
  at: fc.constantFrom('a', 'b'),
  is: fc.constant('is' as const),
  to: fc.constantFrom('true', 'false'),
})
const group = fc.record({ of: fc.array(word, { minLength: 1, maxLength: 3 }) })
const items = fc.array(fc.oneof(word, group), { minLength: 1, maxLength: 4 })
const match = fc.constantFrom(undefined, 'any' as const)
const values = fc.record({ a: fc.boolean(), b: fc.boolean() })

const holds = ({ at, to }: FilterWord, entry: Values): boolean => String(entry[at]) === to

/** The meaning of the filters in words. */
function model(of: readonly FilterItem[], isAny: boolean, entry: Values): boolean {
  const results = of.map((item) => {
    if (!isFilterGroup(item)) return holds(item, entry)
    const inside = item.of.map((one) => holds(one, entry))
    return isAny ? inside.every(Boolean) : inside.some(Boolean)
  })
  return isAny ? results.some(Boolean) : results.every(Boolean)
}

/** The meaning of the filters of the API. */
function evaluate(filter: unknown, entry: Values): boolean {
  return Object.entries(filter as object).every(([key, operand]: [string, unknown]) => {
    if (key === '$and') return (operand as unknown[]).every((one) => evaluate(one, entry))
    if (key === '$or') return (operand as unknown[]).some((one) => evaluate(one, entry))
    return String(entry[key]) === (operand as { readonly $eq: string }).$eq
  })
}

describe('groups of filters', () => {
  it('select the same entries in the API as in words', () => {
    fc.assert(
      fc.property(items, match, values, (of, joined, entry) => {
        const filters = toFilters(of, { attributes: ATTRIBUTES, me: 'ada', match: joined })
        expect(evaluate(filters, entry)).to.equal(model(of, joined === 'any', entry))
      }),
    )
  })

  it('survive the address', () => {
    fc.assert(
      fc.property(items, (of) => {
        const read = readListSearch(JSON.parse(JSON.stringify({ filters: of })))
        expect(read.filters).to.deep.equal(of)
      }),
    )
  })

  it('ignore filters on missing attributes, and groups of such filters only', () => {
    const gone: FilterWord = { at: 'gone', is: 'is', to: 'x' }
    const kept: FilterWord = { at: 'a', is: 'is', to: 'true' }
    const context = { attributes: ATTRIBUTES, me: 'ada', match: undefined }
    expect(toFilters([{ of: [gone] }], context)).to.equal(undefined)
    expect(toFilters([{ of: [gone, kept] }], context)).to.deep.equal({
      $and: [{ $or: [{ a: { $eq: 'true' } }] }],
    })
  })

  it('end with their last filter', () => {
    const one: FilterWord = { at: 'a', is: 'isEmpty' }
    expect(withGroup([one, { of: [one] }], 1, [])).to.deep.equal([one])
    expect(withGroup([{ of: [one] }], 0, [one, one])).to.deep.equal([{ of: [one, one] }])
  })
})
