import { getSchema } from '@tiptap/core'
import { history, undo } from '@tiptap/pm/history'
import { EditorState, TextSelection } from '@tiptap/pm/state'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { BlockNode } from '../../src/entry/block-text.ts'
import { EXTENSIONS } from '../../src/fields/blocks/open-blocks-editor.ts'
import { replaceDifference } from '../../src/fields/blocks/replace-difference.ts'
import { TABLE_NODES } from '../../src/fields/blocks/table-nodes.ts'
import { toEditor } from '../../src/fields/blocks/to-editor.ts'
import { BLOCKS, EXTENDED_BLOCKS } from './block-samples.ts'

const SCHEMA = getSchema([...EXTENSIONS, ...TABLE_NODES])

const docOf = (blocks: readonly BlockNode[]) => SCHEMA.nodeFromJSON(toEditor(blocks))
const paragraphs = (...texts: readonly string[]) =>
  docOf(texts.map((text) => ({ type: 'paragraph', children: [{ type: 'text', text }] })))
const after = (state: EditorState, next: ReturnType<typeof docOf>): EditorState => {
  const transaction = replaceDifference(state, next)
  return transaction === null ? state : state.apply(transaction)
}

/** Some blocks and a change of them: a part is removed, and another part takes its place. */
const CHANGES = fc
  .record({
    blocks: fc.oneof(BLOCKS, EXTENDED_BLOCKS),
    added: fc.oneof(BLOCKS, EXTENDED_BLOCKS, fc.constant([])),
    at: fc.nat(6),
    removed: fc.nat(3),
    repeated: fc.boolean(),
  })
  .map(({ blocks, added, at, removed, repeated }) => ({
    blocks,
    changed: blocks.toSpliced(at, removed, ...(repeated ? blocks.slice(at, at + 2) : added)),
  }))

describe('the change of the blocks editor to a document from elsewhere', () => {
  it('results in this document, and keeps the selection in the common blocks', () => {
    let changes = 0
    let overlaps = 0
    fc.assert(
      fc.property(CHANGES, fc.nat(), ({ blocks, changed }, share) => {
        const doc = docOf(blocks)
        const next = docOf(changed)
        const at = doc.resolve(share % (doc.content.size + 1))
        const state = EditorState.create({ doc, selection: TextSelection.near(at) })
        const result = after(state, next)
        result.doc.check()
        expect(result.doc.toJSON()).to.deep.equal(next.toJSON())
        const start = doc.content.findDiffStart(next.content)
        const ends = doc.content.findDiffEnd(next.content)
        if (start === null || ends === null) {
          expect(result).to.equal(state)
          return
        }
        changes += 1
        if (start > Math.min(ends.a, ends.b)) overlaps += 1
        const { from } = state.selection
        if (from < start) expect(result.selection.from).to.equal(from)
      }),
      { numRuns: 500 },
    )
    expect(changes).to.be.greaterThan(200)
    expect(overlaps).to.be.greaterThan(10)
  })

  it('keeps a cursor after the change at its text, and at an insertion before it', () => {
    const doc = paragraphs('One', 'Two')
    const cursorAt = (at: number): EditorState =>
      EditorState.create({ doc, selection: TextSelection.create(doc, at) })
    const cursorIn = ({ selection: { $from } }: EditorState): string =>
      `${$from.parent.textContent.slice(0, $from.parentOffset)}|`
    expect(cursorIn(after(cursorAt(8), paragraphs('Number one', 'Two')))).to.equal('Tw|')
    expect(cursorIn(after(cursorAt(4), paragraphs('One more', 'Two')))).to.equal('One|')
  })

  it('keeps a cursor between two changes, in one block and in several', () => {
    const doc = paragraphs('one two three', 'Four', 'Five')
    const cursorAfter = (at: number, ...texts: readonly string[]): string => {
      const state = EditorState.create({ doc, selection: TextSelection.create(doc, at) })
      const { $from } = after(state, paragraphs(...texts)).selection
      return `${$from.parent.textContent.slice(0, $from.parentOffset)}|`
    }
    const one = cursorAfter(6, 'number one two thirteen', 'Four', 'Five')
    expect(one).to.equal('number one t|')
    expect(cursorAfter(18, 'one two', 'Four', 'Fifty')).to.equal('Fo|')
  })

  it('is no step of undo, which removes exactly the own words', () => {
    let state = EditorState.create({ doc: paragraphs('One', 'Two'), plugins: [history()] })
    state = state.apply(state.tr.insertText(' mine', 4))
    state = after(state, paragraphs('Number One mine', 'Two'))
    undo(state, (transaction) => (state = state.apply(transaction)))
    expect(state.doc.toJSON()).to.deep.equal(paragraphs('Number One', 'Two').toJSON())
    expect(undo(state)).to.equal(false)
  })
})
