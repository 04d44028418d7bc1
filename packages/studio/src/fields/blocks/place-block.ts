import { Fragment, type Node } from '@tiptap/pm/model'
import { type EditorState, Selection, type Transaction } from '@tiptap/pm/state'

/** Replaces a range of the document with a block. The text can go on below a table at the end. */
export function placeBlock(state: EditorState, from: number, to: number, block: Node): Transaction {
  const { doc, schema, tr } = state
  const hasRoom = block.type.name !== 'table' || to < doc.content.size
  const blocks = hasRoom ? [block] : [block, schema.node('paragraph')]
  tr.replaceWith(from, to, Fragment.from(blocks))
  return tr.setSelection(Selection.near(tr.doc.resolve(from + 1))).scrollIntoView()
}
