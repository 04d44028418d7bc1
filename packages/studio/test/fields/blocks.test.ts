import { expect } from 'chai'
import * as fc from 'fast-check'
import type { BlockNode } from '../../src/entry/block-text.ts'
import { fromEditor } from '../../src/fields/blocks/from-editor.ts'
import { toEditor } from '../../src/fields/blocks/to-editor.ts'
import { BLOCKS } from './block-samples.ts'

describe('blocks in the editor', () => {
  it('round-trips blocks, including unknown keys', () => {
    fc.assert(
      fc.property(BLOCKS, (blocks) => {
        fc.pre(!isNothing(blocks))
        expect(fromEditor(toEditor(blocks))).to.deep.equal(blocks)
      }),
    )
  })

  it('normalizes any value in one pass', () => {
    const loose = BLOCKS.map((blocks) =>
      blocks.map((node) => ({
        ...node,
        children: [
          { type: 'text', text: '' },
          ...(node.children ?? []),
          { type: 'text', text: 'x', bold: false },
        ],
      })),
    ).map((blocks) => blocks.filter(({ type }) => type !== 'list' && type !== 'image'))
    fc.assert(
      fc.property(loose, (blocks) => {
        const once = fromEditor(toEditor(blocks))
        expect(fromEditor(toEditor(once))).to.deep.equal(once)
        expect(textOf(once ?? [])).to.equal(textOf(blocks))
      }),
    )
  })

  it('returns null for an empty document', () => {
    expect(fromEditor(toEditor(null))).to.equal(null)
    expect(fromEditor(toEditor([]))).to.equal(null)
    expect(
      fromEditor(toEditor([{ type: 'paragraph', children: [{ type: 'text', text: '' }] }])),
    ).to.equal(null)
  })
})

function textOf(nodes: readonly BlockNode[]): string {
  return nodes
    .map((node) => (node.type === 'text' ? String(node['text']) : textOf(node.children ?? [])))
    .join('')
}

function isNothing([first, ...rest]: readonly BlockNode[]): boolean {
  return rest.length === 0 && fromEditor(toEditor(first === undefined ? null : [first])) === null
}
