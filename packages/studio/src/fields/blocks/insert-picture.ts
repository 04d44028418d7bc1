import type { ResolvedPos } from '@tiptap/pm/model'
import type { EditorState, Transaction } from '@tiptap/pm/state'
import type { FileValue } from '../../entry/values.ts'

export interface InsertedPicture {
  readonly tr: Transaction
  /** The position after the picture. */
  readonly end: number
}

/**
 * Inserts a picture after the block at a position, or before it if it is an empty paragraph, in
 * which the text can go on.
 */
export function insertPicture(state: EditorState, at: number, image: FileValue): InsertedPicture {
  const $at = state.doc.resolve(Math.min(at, state.doc.content.size))
  const picture = state.schema.node('image', { image })
  const start = placeOf($at)
  return { tr: state.tr.insert(start, picture), end: start + picture.nodeSize }
}

function placeOf($at: ResolvedPos): number {
  if ($at.depth === 0) return $at.pos
  const block = $at.node(1)
  const isEmpty = block.type.name === 'paragraph' && block.content.size === 0
  return isEmpty ? $at.before(1) : $at.after(1)
}
