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

  it('joins the edits of both sides in a text by the policy text', () => {
    const title = (base: unknown, mine: unknown, theirs: unknown) =>
      mergeMembers(
        { title: { policy: 'text' } },
        { base: { title: base }, mine: { title: mine }, theirs: { title: theirs } },
      )
    expect(title('one two three', 'one 2 three', 'one two three.')).to.deep.equal({
      values: { title: 'one 2 three.' },
      conflicts: [],
    })
    for (const [base, mine, theirs] of [
      [null, 'mine', 'theirs'],
      ['base', null, 'theirs'],
      ['base', 'mine', null],
    ]) {
      expect(title(base, mine, theirs)).to.deep.equal({
        values: { title: mine },
        conflicts: [{ address: ['title'], mine, theirs }],
      })
    }
  })

  it('joins the ids of both sides in a list by the policy union', () => {
    const tags = (base: unknown, mine: unknown, theirs: unknown) =>
      mergeMembers(
        { tags: { policy: 'union' } },
        { base: { tags: base }, mine: { tags: mine }, theirs: { tags: theirs } },
      )
    const merged = (values: readonly string[]) => ({ values: { tags: values }, conflicts: [] })
    expect(tags(['a'], ['a', 'b'], ['a', 'c'])).to.deep.equal(merged(['a', 'b', 'c']))
    expect(tags(null, ['b'], ['c'])).to.deep.equal(merged(['b', 'c']))
    for (const [mine, theirs] of [
      [['b', 1], ['c']],
      [['b'], ['c', 1]],
      ['b', ['c']],
      [['b'], 'c'],
      [{ length: 0 }, ['c']],
    ]) {
      expect(tags(['a'], mine, theirs)).to.deep.equal({
        values: { tags: mine },
        conflicts: [{ address: ['tags'], mine, theirs }],
      })
    }
  })

  it('reports a conflict of id lists by other policies', () => {
    const sides = { base: { tags: ['a'] }, mine: { tags: ['b'] }, theirs: { tags: ['c'] } }
    for (const policy of ['ask', 'text'] as const) {
      expect(mergeMembers({ tags: { policy } }, sides).conflicts, policy).to.have.lengthOf(1)
    }
    const texts = { base: { text: 'a b' }, mine: { text: 'x b' }, theirs: { text: 'a y' } }
    for (const policy of ['ask', 'union'] as const) {
      expect(mergeMembers({ text: { policy } }, texts).conflicts, policy).to.have.lengthOf(1)
    }
  })

  it('places additions of mine behind the item before them', () => {
    const joined = (base: string, mine: string, theirs: string) =>
      unionOf({
        base: base.split(''),
        mine: mine.split(''),
        theirs: theirs.split(''),
      }).join('')
    expect(joined('ab', 'axb', 'aby')).to.equal('axby')
    expect(joined('ab', 'abx', 'a')).to.equal('ax')
    expect(joined('ab', 'xab', 'ba')).to.equal('xba')
    expect(joined('ab', 'axyb', 'bca')).to.equal('bcaxy')
  })

  it('lets an attribute merge its own values before its policy does', () => {
    const sides = { base: { sum: 1 }, mine: { sum: 3 }, theirs: { sum: 11 } }
    const added: MemberRules['combine'] = ({ base, mine, theirs }) => ({
      value: Number(mine) + Number(theirs) - Number(base),
    })
    expect(mergeMembers({ sum: { combine: added } }, sides)).to.deep.equal({
      values: { sum: 13 },
      conflicts: [],
    })
    const unable = { combine: () => null, policy: 'server' } as const
    expect(mergeMembers({ sum: unable }, sides).values).to.deep.equal({ sum: 11 })
    expect(mergeMembers({ sum: { combine: () => ({ value: null }) } }, sides)).to.deep.equal({
      values: { sum: null },
      conflicts: [],
    })
  })

  it('adds attributes that the other side has set, and no others', () => {
    const sides = { base: {}, mine: { kept: 1 }, theirs: { title: 'new' } }
    const { values } = mergeMembers({ title: {}, none: {} }, sides)
    expect(values).to.deep.equal({ kept: 1, title: 'new' })
    expect(Object.keys(values)).to.not.include('none')
    const removed = { base: { title: 'a' }, mine: { title: 'a' }, theirs: {} }
    expect(mergeMembers({ title: {} }, removed).values['title']).to.equal(undefined)
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

  it('keeps a removal of an unchanged component next to changes of others', () => {
    const lines = (base: string, mine: string, theirs: string) => {
      const listOf = (texts: string) =>
        texts.split(' ').map((text) => ({ id: Number(text[0]), text: text.slice(1) }))
      const sides = {
        base: { lines: listOf(base) },
        mine: { lines: listOf(mine) },
        theirs: { lines: listOf(theirs) },
      }
      const { values, conflicts } = mergeMembers({ lines: { elements: LINES } }, sides)
      const merged = values['lines'] as readonly { readonly id: number; readonly text: string }[]
      const text = merged.map(({ id, text: own }) => `${id}${own}`).join(' ')
      return { text, conflicts: conflicts.map(({ address }) => address.join('.')) }
    }
    expect(lines('1a 2a', '2a', '1a 2b')).to.deep.equal({ text: '2b', conflicts: [] })
    expect(lines('1a 2a', '1a 2b', '2a')).to.deep.equal({ text: '2b', conflicts: [] })
    expect(lines('1a 2a', '2a', '1b 2a')).to.deep.equal({ text: '2a', conflicts: ['lines'] })
    expect(lines('1a 2a', '1b 2a', '1a 2a 3a')).to.deep.equal({ text: '1b 2a 3a', conflicts: [] })
    expect(lines('1a 2a', '2a 1a', '1b 2a')).to.deep.equal({ text: '2a 1b', conflicts: [] })
    expect(lines('1a 2a', '2b 1a', '2a 1c')).to.deep.equal({ text: '2b 1c', conflicts: [] })
    expect(lines('1a 2a 3a', '2a 1a 3a', '1a 3a 2a').conflicts).to.deep.equal(['lines'])
  })

  it('keeps all new components of one side', () => {
    const sides = {
      base: { lines: [] },
      mine: { lines: [{ text: 'one' }, { text: 'two' }] },
      theirs: { lines: [{ text: 'three' }, { text: 'four' }] },
    }
    const rules = { lines: { policy: 'union', elements: LINES } } as const
    const lines = [...sides.mine.lines, ...sides.theirs.lines]
    expect(mergeMembers(rules, sides)).to.deep.equal({ values: { lines }, conflicts: [] })
  })

  it('reports different values of a component that only the base lacks', () => {
    const sides = {
      base: { lines: [] },
      mine: { lines: [{ id: 1, text: 'mine' }] },
      theirs: { lines: [{ id: 1, text: 'theirs' }] },
    }
    const { values, conflicts } = mergeMembers({ lines: { elements: LINES } }, sides)
    expect(values).to.deep.equal(sides.mine)
    expect(conflicts).to.deep.equal([
      { address: ['lines', '1', 'text'], mine: 'mine', theirs: 'theirs' },
    ])
  })

  it('takes a list of components against another value as one conflict', () => {
    const lines = [{ id: 1, text: 'a' }]
    const changed = [{ id: 1, text: 'b' }]
    for (const [base, mine, theirs] of [
      [null, lines, changed],
      [lines, null, changed],
      [lines, changed, null],
      [lines, [...changed, null], lines.map((line) => ({ ...line, count: 1 }))],
      [lines, changed, [{ id: 1, text: 'c' }, 'text']],
      [['text', ...lines], changed, [{ id: 1, text: 'c' }]],
      [lines, { length: 1 }, changed],
    ]) {
      const sides = { base: { lines: base }, mine: { lines: mine }, theirs: { lines: theirs } }
      expect(mergeMembers({ lines: { elements: LINES } }, sides)).to.deep.equal({
        values: { lines: mine },
        conflicts: [{ address: ['lines'], mine, theirs }],
      })
    }
  })

  describe('of a single component', () => {
    const seo = (base: unknown, mine: unknown, theirs: unknown, policy?: ConflictPolicy) =>
      mergeMembers(
        { seo: { elements: { ...LINES, isList: false }, ...(policy && { policy }) } },
        { base: { seo: base }, mine: { seo: mine }, theirs: { seo: theirs } },
      )
    const one = { id: 1, text: 'a', count: 1 }

    it('merges the attributes', () => {
      expect(seo(one, { ...one, text: 'b' }, { ...one, count: 2 })).to.deep.equal({
        values: { seo: { id: 1, text: 'b', count: 2 } },
        conflicts: [],
      })
      const { conflicts } = seo(one, { ...one, text: 'b' }, { ...one, text: 'c' })
      expect(conflicts).to.deep.equal([{ address: ['seo', 'text'], mine: 'b', theirs: 'c' }])
    })

    it('applies the policy to the attributes', () => {
      const merged = seo(one, { ...one, text: 'b' }, { ...one, text: 'c' }, 'server')
      expect(merged).to.deep.equal({ values: { seo: { ...one, text: 'c' } }, conflicts: [] })
    })

    const b = { ...one, text: 'b' }
    const c = { ...one, text: 'c' }
    for (const [title, base, mine, theirs] of [
      ['mine replaces', one, { ...b, id: 2 }, c],
      ['theirs replaces', one, b, { ...c, id: 2 }],
      ['the base lacks', null, b, c],
      ['mine removes', one, null, c],
      ['theirs removes', one, b, null],
      ['is a list in the base', [one], b, c],
      ['is a list in mine', one, [b], c],
      ['is a list in theirs', one, b, [c]],
      ['is a text in mine', one, 'b', c],
      ['has no id', { text: 'a' }, { text: 'b' }, { text: 'c' }],
    ] as const) {
      it(`reports a conflict for one that ${title}`, () => {
        expect(seo(base, mine, theirs)).to.deep.equal({
          values: { seo: mine },
          conflicts: [{ address: ['seo'], mine, theirs }],
        })
      })
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
