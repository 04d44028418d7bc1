import { expect } from 'chai'
import { compareContent } from '../../../src/documents/history/compare-content.ts'
import type { AttributePlan } from '../../../src/schema/plan.ts'

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

  it('names nothing where nothing differs, and takes what is missing for null', () => {
    const one = state({ title: 'a', rating: null })
    expect(compareContent(plan, one, state({ title: 'a' }))).to.deep.equal([])
  })

  it('names declared attributes in their order, then the unknown', () => {
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

  it('puts words together to both texts', () => {
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

  it('shows texts whole that differ too much', () => {
    const words = (seed: number): string =>
      Array.from({ length: 20_000 }, (_, n) => ((n * seed) % 7919).toString(36)).join(' ')
    const [change] = compareContent(plan, state({ title: words(31) }), state({ title: words(37) }))
    expect(change).to.not.have.property('words')
  })
})
