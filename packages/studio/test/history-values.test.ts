import { expect } from 'chai'
import type { Attribute, Components } from '../src/api/attributes.ts'
import { linesOf } from '../src/screens/history/value-lines.ts'
import { labelOf } from '../src/texts/labels.ts'

const COMPONENTS: Components = new Map([
  [
    'parts.quote',
    {
      uid: 'parts.quote',
      displayName: 'Quote',
      attributes: {
        text: { type: 'string' },
        people: { type: 'relation', relation: 'manyToMany', target: 'api::person.person' },
        again: { type: 'component', component: 'parts.quote' },
      },
    },
  ],
])

function show(attribute: Attribute | undefined, value: unknown): readonly string[] {
  const lines = linesOf(value, {
    attribute,
    plan: { components: COMPONENTS },
    titles: new Map([['p1', 'Ada']]),
    nothing: '-',
    nameOf: (name) => labelOf(name),
    textOf: (_attribute, one) => String(one),
  })
  return lines.map(({ text, depth }) => '  '.repeat(depth) + text)
}

describe('a value of the history', () => {
  it('formats an empty value as one line', () => {
    for (const value of [null, undefined, '', []]) {
      expect(show({ type: 'string' }, value)).to.deep.equal(['-'])
    }
    const zone: Attribute = { type: 'dynamiczone', components: [] }
    expect(show(zone, [])).to.deep.equal(['-'])
  })

  it('formats one line per line of text, and raw values of undeclared attributes', () => {
    expect(show({ type: 'text' }, 'one\ntwo')).to.deep.equal(['one', 'two'])
    expect(show({ type: 'boolean' }, false)).to.deep.equal(['false'])
    expect(show({ type: 'integer' }, 0)).to.deep.equal(['0'])
    expect(show(undefined, { a: 1 })).to.deep.equal(['{', '  "a": 1', '}'])
  })

  it('shows the known titles of entries', () => {
    const relation: Attribute = {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::person.person',
    }
    expect(show(relation, ['p1', 'p2'])).to.deep.equal(['Ada', 'p2'])
    expect(show(relation, 'p1')).to.deep.equal(['Ada'])
  })

  it('shows the values of components, including nested ones', () => {
    const list: Attribute = { type: 'component', component: 'parts.quote', repeatable: true }
    const value = [{ id: 7, text: 'one', people: ['p1', 'p2'], again: { text: 'two' } }, {}]
    expect(show(list, value)).to.deep.equal([
      'Quote',
      '  Text: one',
      '  People:',
      '    Ada',
      '    p2',
      '  Again:',
      '    Quote',
      '      Text: two',
      'Quote',
    ])
    const zone: Attribute = { type: 'dynamiczone', components: ['parts.quote'] }
    const unknown = [{ __component: 'parts.gone', text: 'left' }]
    expect(show(zone, unknown)).to.deep.equal(['parts.gone', '  Text: "left"'])
  })

  it('shows the text of blocks, one line each', () => {
    const text = (words: string) => ({ type: 'text', text: words })
    const blocks = [
      { type: 'heading', level: 2, children: [text('Head')] },
      {
        type: 'paragraph',
        children: [text('a '), { type: 'link', url: '/', children: [text('b')] }],
      },
      {
        type: 'list',
        children: [
          { type: 'list-item', children: [text('one')] },
          { type: 'list-item', children: [text('two')] },
        ],
      },
    ]
    expect(show({ type: 'blocks' }, blocks)).to.deep.equal(['Head', 'a b', 'one', 'two'])
  })
})
