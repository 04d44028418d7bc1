import { expect } from 'chai'
import * as fc from 'fast-check'
import { replaceCode } from '../../../src/mongo/conversions/replace-code.ts'

const CODES = { from: 'a', to: 'b' }

/** A document, and a path to one of its texts. */
const located = fc.letrec<{ value: Located }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc
      .constantFrom('a', 'x')
      .map((code): Located => ({ build: (to) => (code === 'a' ? to : code), path: [] })),
    fc.tuple(fc.constantFrom('p', 'q'), tie('value')).map(([name, { build, path }]): Located => {
      return { build: (to) => ({ [name]: build(to), other: 'a' }), path: [name, ...path] }
    }),
    fc.constantFrom('a', 'x').map((code): Located => ({
      build: (to) => ({ first: 'a', [code === 'a' ? to : code]: 'a', last: 'a' }),
      path: ['{}'],
    })),
    fc.tuple(fc.nat(3), tie('value')).map(([length, { build, path }]): Located => {
      return { build: (to) => Array.from({ length }, () => build(to)), path: ['*', ...path] }
    }),
  ),
})).value

interface Located {
  readonly build: (code: string) => unknown
  readonly path: readonly string[]
}

describe('replaceCode', () => {
  it('replaces the code at its path, and nothing else', () => {
    let replaced = 0
    fc.assert(
      fc.property(located, ({ build, path }) => {
        fc.pre(path.length > 0)
        const before = build('a')
        const after = replaceCode(before, path.join('.'), CODES)
        expect(after).to.deep.equal(build('b'))
        const isSame = JSON.stringify(before) === JSON.stringify(after)
        expect(after === before).to.equal(isSame)
        if (!isSame) replaced += 1
        expect(replaceCode(after, path.join('.'), CODES)).to.equal(after)
      }),
    )
    expect(replaced).to.be.greaterThan(10)
  })

  it('drops the value of a removed locale with the new code', () => {
    const before = { texts: { b: 'old', a: 'new', c: 'other' } }
    expect(replaceCode(before, 'texts.{}', CODES)).to.deep.equal({
      texts: { b: 'new', c: 'other' },
    })
  })

  it('returns the value itself if the path leads nowhere', () => {
    for (const value of [
      null,
      'a',
      1,
      [],
      {},
      { items: 'a' },
      { items: [null, 'a', { other: 'a' }] },
    ]) {
      expect(replaceCode(value, 'items.*.locale', CODES)).to.equal(value)
    }
  })
})
