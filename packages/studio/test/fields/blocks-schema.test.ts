import { getSchema } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { EditorState, TextSelection, type Transaction } from '@tiptap/pm/state'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { BlockNode } from '../../src/entry/block-text.ts'
import type { EditorNode } from '../../src/fields/blocks/blocks.ts'
import { fromEditor } from '../../src/fields/blocks/from-editor.ts'
import { liftItem, sinkItem, toggleList } from '../../src/fields/blocks/list-commands.ts'
import { MARKS } from '../../src/fields/blocks/marks.ts'
import { NODES } from '../../src/fields/blocks/nodes.ts'
import { toEditor } from '../../src/fields/blocks/to-editor.ts'
import { BLOCKS } from './block-samples.ts'

const SCHEMA = getSchema([...NODES, ...MARKS])

describe('the schema of the editor', () => {
  it('round-trips every value of blocks', () => {
    fc.assert(
      fc.property(BLOCKS, (blocks) => {
        const wanted = fromEditor(toEditor(blocks))
        const doc = SCHEMA.nodeFromJSON(toEditor(blocks))
        doc.check()
        expect(fromEditor(doc.toJSON() as EditorNode)).to.deep.equal(wanted)
      }),
    )
  })
})

describe('lists in the editor', () => {
  it('indents an item into a nested list, and outdents it', () => {
    const start = [list(item('a'), item('b'), item('c'))]
    const sunk = run(start, 'b', sinkItem)
    expect(sunk).to.deep.equal([list(item('a'), nested(1, item('b')), item('c'))])
    expect(run(sunk, 'b', liftItem)).to.deep.equal(start)
  })

  it('indents an item into the nested list before it', () => {
    const start = [list(item('a'), nested(1, item('b')), item('c'))]
    expect(run(start, 'c', sinkItem)).to.deep.equal([
      list(item('a'), nested(1, item('b'), item('c'))),
    ])
  })

  it('refuses to indent the first item', () => {
    expect(run([list(item('a'))], 'a', sinkItem)).to.equal(null)
  })

  it('lifts an item of the outermost list to a paragraph between both halves', () => {
    expect(run([list(item('a'), item('b'), item('c'))], 'b', liftItem)).to.deep.equal([
      list(item('a')),
      paragraph('b'),
      list(item('c')),
    ])
  })

  it('converts paragraphs to lists, changes their format, and converts them back', () => {
    const made = run([paragraph('a')], 'a', (state) => toggleList(state, 'unordered'))
    expect(made).to.deep.equal([list(item('a'))])
    const ordered = run(made, 'a', (state) => toggleList(state, 'ordered'))
    expect(ordered).to.deep.equal([{ ...list(item('a')), format: 'ordered' }])
    expect(run(ordered, 'a', (state) => toggleList(state, 'ordered'))).to.deep.equal([
      paragraph('a'),
    ])
  })

  it('stays valid and keeps all text in random operations', () => {
    const acts = [sinkItem, liftItem, (state: EditorState) => toggleList(state, 'ordered')]
    fc.assert(
      fc.property(BLOCKS, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }))), (blocks, steps) => {
        let state = EditorState.create({ doc: SCHEMA.nodeFromJSON(toEditor(blocks)) })
        const text = state.doc.textContent
        for (const [at, act] of steps) {
          const position = state.doc.resolve(at % (state.doc.content.size + 1))
          state = state.apply(state.tr.setSelection(TextSelection.near(position)))
          const transaction = acts[act]?.(state)
          if (transaction) state = state.apply(transaction)
          state.doc.check()
          expect(state.doc.textContent).to.equal(text)
        }
      }),
    )
  })
})

/** The blocks after something was done with the cursor in a text; null where it does nothing. */
function run(
  blocks: readonly BlockNode[] | null,
  text: string,
  act: (state: EditorState) => Transaction | null,
): readonly BlockNode[] | null {
  const doc = SCHEMA.nodeFromJSON(toEditor(blocks))
  const state = EditorState.create({ doc })
  const at = placeOf(doc, text)
  const transaction = act(state.apply(state.tr.setSelection(TextSelection.create(doc, at))))
  return transaction === null ? null : fromEditor(transaction.doc.toJSON() as EditorNode)
}

function placeOf(doc: Node, text: string): number {
  let at = -1
  doc.descendants((node, position) => {
    if (node.text === text) at = position
  })
  return at
}

function item(text: string): BlockNode {
  return { type: 'list-item', children: [{ type: 'text', text }] }
}

function paragraph(text: string): BlockNode {
  return { type: 'paragraph', children: [{ type: 'text', text }] }
}

function list(...children: readonly BlockNode[]): BlockNode {
  return { type: 'list', format: 'unordered', children }
}

function nested(indentLevel: number, ...children: readonly BlockNode[]): BlockNode {
  return { ...list(...children), indentLevel }
}
