import { expect } from 'chai'
import { array, assert as assertProperty, constantFrom, property } from 'fast-check'
import { compareContent } from '../../../src/content/history/compare-content.ts'
import type { AttributePlan } from '../../../src/schema/plan.ts'
import { startOwnClock } from '../../support/own-clock.ts'

describe('compareContent', () => {
  const scalar = (name: string, type: string): [string, AttributePlan] => [
    name,
    { kind: 'scalar', name, type } as AttributePlan,
  ]
  const plan = { attributes: new Map([scalar('title', 'string'), scalar('rating', 'integer')]) }
  const state = (content: object, unknown: object = {}) => ({
    content: { ...content },
    unknown: { ...unknown },
  })

  it('reports no change for equal contents and treats a missing value as null', () => {
    const one = state({ title: 'a', rating: null })
    expect(compareContent(plan, one, state({ title: 'a' }))).to.deep.equal([])
  })

  it('lists declared attributes in order and unknown ones last', () => {
    const changes = compareContent(
      plan,
      state({ rating: 1, title: 'a' }, { gone: [1] }),
      state({ rating: 2, title: null }, { gone: [2] }),
    )
    expect(changes).to.deep.equal([
      { attribute: 'title', from: 'a', to: null },
      { attribute: 'rating', from: 1, to: 2 },
      { attribute: 'gone', from: [1], to: [2] },
    ])
  })

  it('produces word diffs that rebuild both texts', () => {
    const from = 'one two  three\nfour'
    const to = 'one deux  three\nfive six'
    const [change] = compareContent(plan, state({ title: from }), state({ title: to }))
    const textOf = (left: string): string =>
      (change?.words ?? [])
        .filter(({ op }) => op !== left)
        .map(({ text }) => text)
        .join('')
    expect(textOf('added')).to.equal(from)
    expect(textOf('removed')).to.equal(to)
  })

  const scripts = [
    ['Cyrillic', 'Кошка спит дома', 'Кошка сидит дома', ['спит'], ['сидит']],
    ['Greek', 'η γάτα κοιμάται', 'η γάτα κάθεται', ['κοιμάται'], ['κάθεται']],
    ['Arabic', 'القطة تنام هنا', 'القطة تجلس هنا', ['تنام'], ['تجلس']],
    ['Hindi', 'बिल्ली सोती है', 'बिल्ली बैठती है', ['सोती'], ['बैठती']],
    ['Chinese', '猫在睡觉', '猫在吃饭', ['睡觉'], ['吃饭']],
    [
      'combining marks',
      're\u0301sume\u0301 a',
      're\u0301sume a',
      ['re\u0301sume\u0301'],
      ['re\u0301sume'],
    ],
    ['emoji sequences', 'we 👨‍👩‍👧 go', 'we 👨‍👩‍👦 go', ['👨‍👩‍👧'], ['👨‍👩‍👦']],
    ['skin tones and flags', '👍🏽🇩🇪', '👍🏿🇩🇰', ['👍🏽🇩🇪'], ['👍🏿🇩🇰']],
  ] as const
  for (const [label, from, to, removed, added] of scripts) {
    it(`changes whole words: ${label}`, () => {
      const [change] = compareContent(plan, state({ title: from }), state({ title: to }))
      const textsOf = (wanted: string) =>
        (change?.words ?? []).filter(({ op }) => op === wanted).map(({ text }) => text)
      expect(textsOf('removed')).to.deep.equal(removed)
      expect(textsOf('added')).to.deep.equal(added)
    })
  }

  for (const [label, run] of [
    ['Latin', 'the cat sat on the mat. '],
    ['Chinese', '猫在睡觉吃饭喝水，'],
    ['Chinese without punctuation', '猫在睡觉吃饭喝水'],
    ['Thai without spaces', 'แมวกำลังนอนหลับอยู่ในบ้าน'],
    ['emoji', '👨‍👩‍👧🇩🇪👍🏽'],
    ['a combining mark', '\u0301'],
    ['unpaired surrogates', '\ud83d'],
  ] as const) {
    it(`diffs a long text within a second: ${label}`, () => {
      const from = run.repeat(Math.floor(90_000 / run.length))
      const to = `${from.slice(0, 40_000)} X ${from.slice(40_000)}`
      const elapsedMs = startOwnClock()
      const [change] = compareContent(plan, state({ title: from }), state({ title: to }))
      expect(elapsedMs(), 'ms').to.be.below(1_000)
      const later = (change?.words ?? []).filter(({ op }) => op !== 'removed')
      expect(later.map(({ text }) => text).join('') === to).to.equal(true)
    })
  }

  it('produces diffs that rebuild any two texts', () => {
    const texts = constantFrom(
      ' ',
      'a',
      'ab',
      '.',
      '\n',
      '\r\n',
      'é',
      'e\u0301',
      '猫',
      '👨‍👩‍👧',
      '\ud83d',
      '1.5',
    )
    const text = array(texts, { maxLength: 12 }).map((parts) => parts.join(''))
    assertProperty(
      property(text, text, (from, to) => {
        const [change] = compareContent(plan, state({ title: from }), state({ title: to }))
        const { words } = change ?? { words: [{ op: 'same', text: from }] as const }
        const side = (hidden: string): string =>
          (words ?? [])
            .filter(({ op }) => op !== hidden)
            .map((run) => run.text)
            .join('')
        expect([side('added'), side('removed')]).to.deep.equal([from, to])
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not depend on the speed of the clock', () => {
    let ms = 0
    Object.defineProperty(performance, 'now', {
      configurable: true,
      value: () => (ms += 60_000),
    })
    try {
      const [change] = compareContent(plan, state({ title: 'a b c' }), state({ title: 'a x c' }))
      expect(change?.words).to.deep.equal([
        { op: 'same', text: 'a ' },
        { op: 'removed', text: 'b' },
        { op: 'added', text: 'x' },
        { op: 'same', text: ' c' },
      ])
    } finally {
      Reflect.deleteProperty(performance, 'now')
    }
  })

  it('shares one time budget between many texts', () => {
    const names = Array.from({ length: 60 }, (_, index) => `text${index}`)
    const many = { attributes: new Map(names.map((name) => scalar(name, 'richtext'))) }
    const textsBy = (seed: number): object =>
      Object.fromEntries(
        names.map((name) => [
          name,
          Array.from({ length: 10_000 }, (_, n) => ((n * seed) % 7919).toString(36)).join(' '),
        ]),
      )
    const elapsedMs = startOwnClock()
    const changes = compareContent(many, state(textsBy(31)), state(textsBy(37)))
    expect(elapsedMs(), 'ms').to.be.below(1_000)
    expect(changes).to.have.length(names.length)
  })

  it('omits the word diff of texts that differ too much', () => {
    const words = (seed: number): string =>
      Array.from({ length: 20_000 }, (_, n) => ((n * seed) % 7919).toString(36)).join(' ')
    const [change] = compareContent(plan, state({ title: words(31) }), state({ title: words(37) }))
    expect(change).to.not.have.property('words')
  })
})
