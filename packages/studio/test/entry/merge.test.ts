import { expect } from 'chai'
import * as fc from 'fast-check'
import { valueAt } from '../../src/entry/address.ts'
import { mergeEntries } from '../../src/entry/merge.ts'
import { isSameValue } from '../../src/entry/same-value.ts'
import { type ComponentValue, toFormValues, type FormValues } from '../../src/entry/values.ts'
import { ARTICLE, COMPONENTS, ENTRY, reading } from './samples.ts'

const ENTRY_NAMES = Object.keys(ARTICLE)

describe('the merge of two versions', () => {
  it('takes the change of the only side that changed an attribute', () => {
    fc.assert(
      fc.property(ENTRY, ENTRY, ENTRY, fc.array(fc.nat({ max: 2 })), (base, mine, theirs, who) => {
        const [of, ours, other] = [base, mine, theirs].map(toValues) as [
          FormValues,
          FormValues,
          FormValues,
        ]
        const changedBy = (one: number, from: FormValues): FormValues =>
          Object.fromEntries(
            ENTRY_NAMES.map((name, at) => [name, (who[at] ?? 0) === one ? from[name] : of[name]]),
          )
        const sides = { base: of, mine: changedBy(1, ours), theirs: changedBy(2, other) }
        const merged = mergeEntries(ARTICLE, sides, COMPONENTS)
        expect(merged.conflicts).to.deep.equal([])
        ENTRY_NAMES.forEach((name, at) => {
          const wanted = [of, ours, other][who[at] ?? 0]
          expect(merged.values[name], name).to.deep.equal(wanted?.[name])
        })
      }),
    )
  })

  it('keeps my value of a conflict, and shows both', () => {
    fc.assert(
      fc.property(ENTRY, ENTRY, ENTRY, (base, mine, theirs) => {
        const sides = { base: toValues(base), mine: toValues(mine), theirs: toValues(theirs) }
        const { values, conflicts } = mergeEntries(ARTICLE, sides, COMPONENTS)
        for (const { address, mine: ours, theirs: other } of conflicts) {
          expect(valueAt(values, address)).to.deep.equal(ours)
          expect(valueAt(sides.mine, address)).to.deep.equal(ours)
          expect(valueAt(sides.theirs, address)).to.deep.equal(other)
        }
        for (const [name, attribute] of Object.entries(ARTICLE)) {
          if (conflicts.some(({ address }) => address[0] === name)) continue
          if (attribute.type === 'component' || attribute.type === 'dynamiczone') continue
          const isSame = (one: FormValues, other: FormValues): boolean =>
            isSameValue(attribute, one[name], other[name], COMPONENTS)
          expect(isSame(values, sides.mine) || isSame(sides.mine, sides.base), name).to.equal(true)
          expect(isSame(values, sides.theirs) || isSame(sides.theirs, sides.base), name).to.equal(
            true,
          )
        }
      }),
    )
  })

  it('is symmetric except for conflicts', () => {
    fc.assert(
      fc.property(ENTRY, ENTRY, ENTRY, (base, mine, theirs) => {
        const sides = { base: toValues(base), mine: toValues(mine), theirs: toValues(theirs) }
        const one = mergeEntries(ARTICLE, sides, COMPONENTS)
        const other = mergeEntries(
          ARTICLE,
          { ...sides, mine: sides.theirs, theirs: sides.mine },
          COMPONENTS,
        )
        expect(one.conflicts.map(({ address }) => address)).to.deep.equal(
          other.conflicts.map(({ address }) => address),
        )
      }),
    )
  })

  it('merges within moved components', () => {
    const base = toValues({ quotes: [quote(1, 'a', 'x'), quote(2, 'b', 'y')] })
    const [first, second] = base['quotes'] as readonly ComponentValue[]
    const mine = { ...base, quotes: [second, { ...first, text: 'mine' }] }
    const theirs = { ...base, quotes: [{ ...first, source: 'theirs' }, second] }
    const { values, conflicts } = mergeEntries(ARTICLE, { base, mine, theirs }, COMPONENTS)
    expect(conflicts).to.deep.equal([])
    expect(values['quotes']).to.deep.equal([second, { ...first, text: 'mine', source: 'theirs' }])
  })

  it('names the conflicting attribute within a component', () => {
    const base = toValues({ quotes: [quote(1, 'a', 'x')] })
    const [first] = base['quotes'] as readonly ComponentValue[]
    const mine = { ...base, quotes: [{ ...first, text: 'mine' }] }
    const theirs = { ...base, quotes: [{ ...first, text: 'theirs' }] }
    const { conflicts } = mergeEntries(ARTICLE, { base, mine, theirs }, COMPONENTS)
    expect(conflicts).to.deep.equal([
      { address: ['quotes', 'shared.quote:1', 'text'], mine: 'mine', theirs: 'theirs' },
    ])
  })

  it('reports a conflict between a removal and a change', () => {
    const base = toValues({ quotes: [quote(1, 'a', 'x'), quote(2, 'b', 'y')] })
    const [first, second] = base['quotes'] as readonly ComponentValue[]
    const mine = { ...base, quotes: [{ ...first, text: 'mine' }, second] }
    const theirs = { ...base, quotes: [second] }
    const { conflicts } = mergeEntries(ARTICLE, { base, mine, theirs }, COMPONENTS)
    expect(conflicts.map(({ address }) => address)).to.deep.equal([['quotes']])
  })
})

function toValues(entry: Readonly<Record<string, unknown>>): FormValues {
  return toFormValues(ARTICLE, entry, reading())
}

function quote(id: number, text: string, source: string): Readonly<Record<string, unknown>> {
  return { id, text, source, countries: [] }
}
