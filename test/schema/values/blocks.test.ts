import { expect } from 'chai'
import { findBlockFaults } from '../../../src/schema/values/blocks.ts'

const text = (words: string): object => ({ type: 'text', text: words })
const paragraph = (...children: readonly object[]): object => ({ type: 'paragraph', children })
const link = (url: unknown): object => ({ type: 'link', url, children: [text('l')] })
const IMAGE = {
  name: 'a.png',
  url: '/uploads/a.png',
  width: 1,
  height: 1,
  formats: null,
  hash: 'a',
  ext: '.png',
  mime: 'image/png',
  size: 1,
  provider: 'local',
  createdAt: 'x',
  updatedAt: 'x',
}

describe('blocks', () => {
  const fine: readonly (readonly object[])[] = [
    [],
    [paragraph(text('a'), link('https://example.org'), text(''))],
    [{ type: 'paragraph', foo: 1, children: [{ type: 'text', text: 'x', bold: true, bar: 2 }] }],
    [{ type: 'heading', level: 6, children: [text('h')] }],
    [{ type: 'quote', children: [text('q')] }],
    [{ type: 'code', language: 'js', children: [text('c')] }],
    [{ type: 'image', image: IMAGE, children: [text('')] }],
    [{ type: 'image', image: { ...IMAGE, url: 'anything at all' } }],
    [
      {
        type: 'list',
        format: 'unordered',
        children: [
          { type: 'list-item', children: [text('a')] },
          { type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [] }] },
        ],
      },
    ],
    [
      paragraph(
        link('mailto:a@example.org'),
        link('/about'),
        link('#top'),
        link('www.example.org'),
      ),
    ],
  ]
  for (const [index, nodes] of fine.entries()) {
    it(`accepts example ${index + 1}`, () => {
      expect(findBlockFaults(nodes, ['body'])).to.deep.equal([])
    })
  }

  const { url: _, ...withoutUrl } = IMAGE
  const wrong: readonly [unknown, string, string][] = [
    [{ type: 'nope', children: [] }, '', 'Block node is of invalid type'],
    [{ children: [] }, '', 'Block node is of invalid type'],
    [{ type: 'constructor' }, '', 'Block node is of invalid type'],
    [null, '', 'Block node is of invalid type'],
    [text('at the root'), '', 'Block node is of invalid type'],
    [{ type: 'paragraph' }, 'children', 'body[0].children is a required field'],
    [paragraph(), 'children', 'Paragraph node children must have at least one Text or Link node'],
    [paragraph(paragraph()), 'children.0', 'Inline node is of invalid type'],
    [
      paragraph({ type: 'text' }),
      'children.0.text',
      'Text must be defined with at least an empty string',
    ],
    [paragraph(link('not a url')), 'children.0.url', 'Please specify a valid link.'],
    [paragraph(link(5)), 'children.0.url', 'Please specify a valid link.'],
    [
      { type: 'heading', level: 9, children: [text('h')] },
      'level',
      'body[0].level must be one of the following values: 1, 2, 3, 4, 5, 6',
    ],
    [{ type: 'heading', children: [text('h')] }, 'level', 'body[0].level is a required field'],
    [{ type: 'list', children: [] }, 'format', 'body[0].format is a required field'],
    [
      { type: 'list', format: 'ordered', children: [paragraph()] },
      'children.0',
      'List node is of invalid type',
    ],
    [{ type: 'image' }, 'image', 'body[0].image is a required field'],
    [{ type: 'image', image: withoutUrl }, 'image.url', 'body[0].image.url is a required field'],
    [{ type: 'quote', children: 'x' }, 'children', 'body[0].children must be a list'],
  ]
  for (const [node, path, message] of wrong) {
    it(`refuses ${JSON.stringify(node).slice(0, 60)}`, () => {
      const faults = findBlockFaults([node], ['body'])
      expect(faults.map((fault) => fault.message)).to.deep.equal([message])
      expect(faults[0]?.path).to.deep.equal(['body', '0', ...path.split('.').filter(Boolean)])
    })
  }

  it('stop after 101 faults', () => {
    const nodes = Array.from({ length: 10_000 }, () => ({}))
    expect(findBlockFaults(nodes, ['body'])).to.have.length(101)
    const within = [{ type: 'quote', children: nodes }]
    expect(findBlockFaults(within, ['body'])).to.have.length(101)
  })
})
