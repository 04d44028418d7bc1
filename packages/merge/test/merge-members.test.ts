import {
  type ConflictPolicy,
  type ElementRules,
  type MemberRules,
  mergeMembers,
  unionOf,
} from '@quire/merge/merge-members'
import { expect } from 'chai'
import * as fc from 'fast-check'

const LINES: ElementRules = {
  isList: true,
  keyOf: ({ id }) => (typeof id === 'number' ? String(id) : null),
  membersOf: () => ({ id: {}, text: {}, count: {} }),
}

const LETTERS = ['a', 'b', 'c', 'd', 'e']
const IDS = fc.uniqueArray(fc.constantFrom(...LETTERS))

describe('the merge of attributes', () => {
  it('merges different attributes of both sides', () => {
    const sides = {
      base: { title: 'a', count: 1 },
      mine: { title: 'b', count: 1 },
      theirs: { title: 'a', count: 2 },
    }
    expect(mergeMembers({ title: {}, count: {} }, sides)).to.deep.equal({
      values: { title: 'b', count: 2 },
      conflicts: [],
    })
  })

  for (const { policy, value } of [
    { policy: 'server', value: 'theirs' },
    { policy: 'client', value: 'mine' },
  ] as const) {
    it(`takes the value of one side by the policy ${policy}`, () => {
      const sides = {
        base: { title: 'base' },
        mine: { title: 'mine' },
        theirs: { title: 'theirs' },
      }
      expect(mergeMembers({ title: { policy } }, sides)).to.deep.equal({
        values: { title: value },
        conflicts: [],
      })
    })
  }

  it('reports a conflict by the policies ask, text and union, if they cannot merge', () => {
    for (const policy of ['ask', 'text', 'union', undefined] as const) {
      const rules = policy === undefined ? {} : { policy }
      const sides = { base: { title: 'base' }, mine: { title: 'mine' }, theirs: { title: null } }
      const { values, conflicts } = mergeMembers({ title: rules }, sides)
      expect(values).to.deep.equal({ title: 'mine' })
      expect(conflicts).to.deep.equal([{ address: ['title'], mine: 'mine', theirs: null }])
    }
  })

  it('applies the policy of a component to its attributes', () => {
    const sides = {
      base: { lines: [{ id: 1, text: 'a' }] },
      mine: { lines: [{ id: 1, text: 'mine' }] },
      theirs: { lines: [{ id: 1, text: 'theirs' }] },
    }
    const merge = (policy: ConflictPolicy) =>
      mergeMembers({ lines: { policy, elements: LINES } }, sides)
    expect(merge('server').values).to.deep.equal(sides.theirs)
    expect(merge('client').values).to.deep.equal(sides.mine)
    expect(merge('ask').conflicts[0]?.address).to.deep.equal(['lines', '1', 'text'])
  })

  it('joins additions of components on both sides by the policy union', () => {
    const one = { id: 1, text: 'a' }
    const sides = {
      base: { lines: [one] },
      mine: { lines: [{ ...one, count: 2 }, { text: 'mine' }] },
      theirs: { lines: [one, { id: 2, text: 'theirs' }] },
    }
    const rules: Readonly<Record<string, MemberRules>> = {
      lines: { policy: 'union', elements: LINES },
    }
    expect(mergeMembers(rules, sides)).to.deep.equal({
      values: {
        lines: [{ id: 1, text: 'a', count: 2 }, { text: 'mine' }, { id: 2, text: 'theirs' }],
      },
      conflicts: [],
    })
    expect(mergeMembers({ lines: { elements: LINES } }, sides).conflicts).to.have.lengthOf(1)
  })

  it('never drops a changed component that the other side removed', () => {
    const sides = {
      base: { lines: [{ id: 1, text: 'a' }] },
      mine: { lines: [] },
      theirs: { lines: [{ id: 1, text: 'changed' }] },
    }
    for (const policy of ['ask', 'union'] as const) {
      const { conflicts } = mergeMembers({ lines: { policy, elements: LINES } }, sides)
      expect(conflicts.map(({ address }) => address)).to.deep.equal([['lines']])
    }
  })

  it('contains the additions and none of the removals of both sides in a union', () => {
    fc.assert(
      fc.property(IDS, IDS, IDS, (base, mine, theirs) => {
        const union = unionOf({ base, mine, theirs })
        const wanted = LETTERS.filter((id) =>
          base.includes(id)
            ? mine.includes(id) && theirs.includes(id)
            : mine.includes(id) || theirs.includes(id),
        )
        expect([...union].sort()).to.deep.equal(wanted)
        expect([...unionOf({ base, mine: theirs, theirs: mine })].sort()).to.deep.equal(wanted)
        expect(unionOf({ base, mine, theirs: base })).to.have.members([...mine])
        expect(unionOf({ base, mine: base, theirs })).to.deep.equal(theirs)
      }),
    )
  })

  it('is idempotent, and never loses a change without a conflict', () => {
    const value = fc.constantFrom('a', 'b', null, 1, ['x'], ['x', 'y'])
    const entry = fc.record({ one: value, two: value })
    fc.assert(
      fc.property(entry, entry, entry, (base, mine, theirs) => {
        const rules: Readonly<Record<string, MemberRules>> = { one: {}, two: { policy: 'union' } }
        expect(mergeMembers(rules, { base, mine, theirs: mine }).values).to.deep.equal(mine)
        expect(mergeMembers(rules, { base, mine, theirs: base }).values).to.deep.equal(mine)
        expect(mergeMembers(rules, { base, mine: base, theirs }).values).to.deep.equal(theirs)
        const first = mergeMembers(rules, { base, mine, theirs })
        if (first.conflicts.some(({ address }) => address[0] === 'one')) return
        const isKept = (of: typeof base): boolean =>
          isEqual(first.values['one'], of.one) || isEqual(of.one, base.one)
        expect(isKept(mine) && isKept(theirs)).to.equal(true)
        if (first.conflicts.length > 0) return
        const again = mergeMembers(rules, { base, mine, theirs: first.values })
        expect(again).to.deep.equal(first)
      }),
    )
  })
})

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
