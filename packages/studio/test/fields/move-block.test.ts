import { getSchema } from '@tiptap/core'
import { EditorState, TextSelection } from '@tiptap/pm/state'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { fromEditor } from '../../src/fields/blocks/from-editor.ts'
import type { EditorNode } from '../../src/fields/blocks/blocks.ts'
import { insertPicture } from '../../src/fields/blocks/insert-picture.ts'
import { moveBlock, moveBlockTo } from '../../src/fields/blocks/move-block.ts'
import { EXTENSIONS } from '../../src/fields/blocks/open-blocks-editor.ts'
import { toEditor } from '../../src/fields/blocks/to-editor.ts'
import { BLOCKS } from './block-samples.ts'

const SCHEMA = getSchema(EXTENSIONS)

function stateAt(json: EditorNode, one: number, other: number): EditorState {
  const doc = SCHEMA.nodeFromJSON(json)
  const at = (share: number) => doc.resolve(share % (doc.content.size + 1))
  return EditorState.create({ doc, selection: TextSelection.between(at(one), at(other)) })
}

const blocksOf = (state: EditorState): readonly string[] =>
  (fromEditor(state.doc.toJSON() as EditorNode) ?? []).map((one) => JSON.stringify(one))

const leavesOf = (state: EditorState): readonly string[] => {
  const leaves: string[] = []
  state.doc.descendants((node) => {
    if (node.isTextblock || node.type.name === 'image') leaves.push(JSON.stringify(node.toJSON()))
  })
  return leaves.toSorted()
}

describe('moves of blocks', () => {
  it('lose nothing, keep the selected text, and go back outside of lists', () => {
    let moves = 0
    let inLists = 0
    fc.assert(
      fc.property(
        BLOCKS,
        fc.nat(),
        fc.nat(),
        fc.constantFrom(-1 as const, 1 as const),
        (blocks, one, other, by) => {
          const state = stateAt(toEditor(blocks), one, other)
          const move = moveBlock(state, by)
          if (move === null) return
          moves += 1
          if (state.selection.$from.depth > 1) inLists += 1
          const next = state.apply(move.transaction)
          next.doc.check()
          expect(leavesOf(next)).to.deep.equal(leavesOf(state))
          const selected = ({ doc, selection: { from, to } }: EditorState): string =>
            doc.textBetween(from, to, '|', '·')
          expect(selected(next)).to.equal(selected(state))
          expect(move.position).to.be.within(1, move.count)
          // At the end of a list the list moves, and back the item moves within it.
          if (state.selection.$from.depth > 1) return
          const back = moveBlock(next, by === 1 ? -1 : 1)
          expect(back === null ? null : next.apply(back.transaction).doc.toJSON()).to.deep.equal(
            state.doc.toJSON(),
          )
        },
      ),
      { numRuns: 150 },
    )
    expect(moves).to.be.above(50)
    expect(inLists).to.be.above(5)
  })

  it('bring a block to any place among the others', () => {
    let moves = 0
    fc.assert(
      fc.property(BLOCKS, fc.nat(), fc.nat(), (blocks, one, other) => {
        const state = stateAt(toEditor(blocks), 0, 0)
        const { doc } = state
        const from = one % doc.childCount
        const to = other % (doc.childCount + 1)
        const move = moveBlockTo(state, doc.child(from), to)
        const all = blocksOf(state)
        const isSame = to === from || to === from + 1
        expect(move === null).to.equal(isSame)
        if (move === null) return
        moves += 1
        const rest = all.filter((_, index) => index !== from)
        const place = to > from ? to - 1 : to
        expect(blocksOf(state.apply(move.transaction))).to.deep.equal(
          rest.toSpliced(place, 0, all[from] ?? ''),
        )
        expect(move.position).to.equal(place + 1)
      }),
    )
    expect(moves).to.be.above(20)
  })
})

describe('an inserted picture', () => {
  it('stands between blocks, which stay as they are', () => {
    fc.assert(
      fc.property(BLOCKS, fc.nat(), (blocks, at) => {
        const state = stateAt(toEditor(blocks), 0, 0)
        const image = { id: 1, documentId: 'a', name: 'a', url: '/a.png', mime: 'image/png' }
        const next = state.apply(insertPicture(state, at % (state.doc.content.size + 2), image).tr)
        next.doc.check()
        expect(next.doc.childCount).to.equal(state.doc.childCount + 1)
        const rest = blocksOf(next).filter((one) => !one.includes('"documentId":"a"'))
        const before = blocksOf(state)
        if (before.length > 0) expect(rest).to.deep.equal(before)
      }),
    )
  })
})
