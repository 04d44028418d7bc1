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

function convert(...content: readonly Node[]): {
  blocks: readonly object[] | null
  notes: readonly string[]
} {
  const notes: string[] = []
  const blocks = richTextBlocks(node('document', content), {
    asset: (id) =>
      id === 'gone' ? null : { documentId: id, isImage: id === 'image', name: `${id}.x` },
    note: (sentence) => notes.push(sentence),
  })
  return { blocks, notes }
}

describe('richTextBlocks', () => {
  it('returns null for values other than documents', () => {
    for (const value of [null, undefined, 'text', {}, node('paragraph', [])]) {
      expect(richTextBlocks(value, { asset: () => null, note: () => undefined })).to.equal(null)
    }
  })

  it('keeps an empty document and drops a trailing empty paragraph', () => {
    expect(convert().blocks).to.deep.equal([])
    expect(convert(node('paragraph', [said('')])).blocks).to.deep.equal([])
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
