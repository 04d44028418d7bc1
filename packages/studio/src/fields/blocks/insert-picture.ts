import type { EditorState, Transaction } from '@tiptap/pm/state'
import type { FileValue } from '../../entry/values.ts'

/**
 * Inserts a picture after the block at a position, or before it if it is an empty paragraph, in
 * which the text can go on.
 */
export function insertPicture(state: EditorState, at: number, image: FileValue): Transaction {
  const $at = state.doc.resolve(Math.min(at, state.doc.content.size))
  const picture = state.schema.node('image', { image })
  const tr = state.tr
  if ($at.depth === 0) return tr.insert($at.pos, picture)
  const block = $at.node(1)
  const isEmpty = block.type.name === 'paragraph' && block.content.size === 0
  return tr.insert(isEmpty ? $at.before(1) : $at.after(1), picture)
}
