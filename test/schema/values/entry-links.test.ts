import { expect } from 'chai'
import { entryLinkOf, entryLinksIn, mapEntryLinks } from '../../../src/schema/values/entry-links.ts'

const ID = 'a1b2c3d4e5f6g7h8i9j0k1l2'
const TEXT = { type: 'text', text: 'x' }
const LINK = {
  type: 'link',
  url: '',
  entry: { type: 'api::a.a', documentId: ID },
  children: [TEXT],
}
const PLAIN = { type: 'link', url: '/x', children: [TEXT] }

const BLOCKS = [
  { type: 'paragraph', children: [TEXT, PLAIN, LINK] },
  {
    type: 'list',
    format: 'ordered',
    children: [
      { type: 'list-item', children: [TEXT] },
      { type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [LINK] }] },
    ],
  },
]

describe('links to entries in a value of blocks', () => {
  it('are found at any depth, with their paths', () => {
    expect(entryLinksIn(BLOCKS, ['body']).map(({ path }) => path.join('.'))).to.deep.equal([
      'body.0.children.2.entry',
      'body.1.children.1.children.0.children.0.entry',
    ])
  })

  it('are no other members of that name', () => {
    for (const entry of [null, 'x', {}, { type: 'a', documentId: ID }, { type: 'api::a.a' }]) {
      expect(entryLinkOf({ ...LINK, entry })).to.equal(null)
    }
    expect(entryLinkOf({ ...LINK, type: 'paragraph' })).to.equal(null)
    expect(entryLinksIn({ type: 'link' })).to.deep.equal([])
  })

  it('are replaced in a copy', () => {
    const before = structuredClone(BLOCKS)
    const mapped = mapEntryLinks(BLOCKS, (node) => ({ ...node, url: '/new' }))
    expect(BLOCKS).to.deep.equal(before)
    expect(JSON.stringify(mapped).match(/\/new/g)).to.have.length(2)
    const [first] = BLOCKS
    const plain = [{ ...first, children: [TEXT, PLAIN] }]
    expect(mapEntryLinks(plain, () => expect.fail('there are no links'))).to.equal(plain)
  })
})
