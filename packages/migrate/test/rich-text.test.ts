import { expect } from 'chai'
import { richTextBlocks } from '@quire/migrate/contentful/rich-text'

type Node = Readonly<Record<string, unknown>>

const said = (value: string, ...marks: readonly string[]): Node => ({
  nodeType: 'text',
  value,
  marks: marks.map((type) => ({ type })),
  data: {},
})
const node = (nodeType: string, content: readonly Node[], data: Node = {}): Node => ({
  nodeType,
  content,
  data,
})
const target = (id: string): Node => ({ target: { sys: { type: 'Link', linkType: 'Asset', id } } })
const text = (value: string, marks: object = {}): object => ({
  type: 'text',
  text: value,
  ...marks,
})

function convert(...content: readonly Node[]): Converted {
  return convertWith(false, content)
}

interface Converted {
  blocks: readonly object[] | null
  notes: readonly string[]
}

function convertWith(tables: boolean, content: readonly Node[]): Converted {
  const notes: string[] = []
  const blocks = richTextBlocks(node('document', content), {
    asset: (id) =>
      id === 'gone' ? null : { documentId: id, isImage: id === 'image', name: `${id}.x` },
    note: (sentence) => notes.push(sentence),
    tables,
  })
  return { blocks, notes }
}

describe('richTextBlocks', () => {
  it('returns null for values other than documents', () => {
    for (const value of [null, undefined, 'text', {}, node('paragraph', [])]) {
      expect(
        richTextBlocks(value, { asset: () => null, note: () => undefined, tables: false }),
      ).to.equal(null)
    }
  })

  it('keeps an empty document and drops a trailing empty paragraph', () => {
    expect(convert().blocks).to.deep.equal([])
    expect(convert(node('paragraph', [said('')])).blocks).to.deep.equal([])
  })

  it('keeps tables, without spans', () => {
    const cell = (type: string, value: string, data: Node = {}): Node =>
      node(type, [node('paragraph', [said(value)])], data)
    const rows = [
      node('table-row', [cell('table-header-cell', 'Port', { colspan: 2 })]),
      node('table-row', [cell('table-cell', 'Brest'), cell('table-cell', '7 m')]),
    ]
    const made = (type: string, value: string): object => ({ type, children: [text(value)] })
    const row = (...children: readonly object[]): object => ({ type: 'table-row', children })
    expect(convertWith(true, [node('table', rows)])).to.deep.equal({
      blocks: [
        {
          type: 'table',
          children: [
            row(made('table-header-cell', 'Port'), made('table-header-cell', '')),
            row(made('table-cell', 'Brest'), made('table-cell', '7 m')),
          ],
        },
      ],
      notes: [],
    })
  })

  it('links assets by their documents', () => {
    const { blocks, notes } = convert(
      node('embedded-asset-block', [], target('image')),
      node('embedded-asset-block', [], target('paper')),
      node('embedded-asset-block', [], target('gone')),
      node('paragraph', [node('asset-hyperlink', [said('x', 'bold')], target('paper'))]),
    )
    expect(blocks).to.deep.equal([
      { type: 'image', image: { documentId: 'image' }, children: [text('')] },
      {
        type: 'paragraph',
        children: [{ type: 'link', file: { documentId: 'paper' }, children: [text('paper.x')] }],
      },
      {
        type: 'paragraph',
        children: [
          { type: 'link', file: { documentId: 'paper' }, children: [text('x', { bold: true })] },
        ],
      },
    ])
    expect(notes).to.deep.equal(['an asset within a text is not there'])
  })

  it('moves content that a list item cannot contain behind the list', () => {
    const { blocks, notes } = convert(
      node('unordered-list', [
        node('list-item', [
          node('paragraph', [said('a')]),
          node('paragraph', [said('b')]),
          node('embedded-asset-block', [], target('image')),
          node('ordered-list', [node('list-item', [node('paragraph', [said('c')])])]),
        ]),
      ]),
    )
    expect(blocks).to.deep.equal([
      {
        type: 'list',
        format: 'unordered',
        children: [
          { type: 'list-item', children: [text('a'), text('\n'), text('b')] },
          {
            type: 'list',
            format: 'ordered',
            indentLevel: 1,
            children: [{ type: 'list-item', children: [text('c')] }],
          },
        ],
      },
      { type: 'image', image: { documentId: 'image' }, children: [text('')] },
    ])
    expect(notes).to.deep.equal(['what an item of a list holds beside text follows the list'])
  })

  it('keeps the text of unknown nodes', () => {
    const { blocks, notes } = convert(node('callout', [node('x', [said('a')])]))
    expect(blocks).to.deep.equal([{ type: 'paragraph', children: [text('a')] }])
    expect(notes).to.deep.equal(['callout is what it says'])
  })
})
