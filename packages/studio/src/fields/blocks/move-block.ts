import type { Node, ResolvedPos } from '@tiptap/pm/model'
import { type EditorState, NodeSelection, type Transaction } from '@tiptap/pm/state'

export interface BlockMove {
  readonly transaction: Transaction
  /** From 1. */
  readonly position: number
  readonly count: number
}

/**
 * Exchanges the selected blocks, or list items, with their neighbour. At the end of a list, the
 * list itself moves. Null if nothing can move.
 */
export function moveBlock(state: EditorState, by: -1 | 1): BlockMove | null {
  const { $from, $to } = state.selection
  for (let depth = $from.sharedDepth($to.pos); depth >= 0; depth -= 1) {
    const parent = $from.node(depth)
    if (!['doc', 'list'].includes(parent.type.name)) continue
    const first = $from.index(depth)
    const last = $to.depth > depth ? $to.index(depth) : Math.max(first, $to.index(depth) - 1)
    const other = by < 0 ? first - 1 : last + 1
    if (other < 0 || other >= parent.childCount) continue
    const transaction = exchange(state, $from, depth, { first, last, other })
    return { transaction, position: first + 1 + by, count: parent.childCount }
  }
  return null
}

interface Exchange {
  readonly first: number
  readonly last: number
  readonly other: number
}

/** Moves only the neighbour, so that the selection stays in the blocks. */
function exchange(
  state: EditorState,
  $from: ResolvedPos,
  depth: number,
  { first, last, other }: Exchange,
): Transaction {
  const neighbour = $from.node(depth).child(other)
  const from = $from.posAtIndex(other, depth)
  const to = $from.posAtIndex(other < first ? last + 1 : first, depth)
  const tr = state.tr
  // The later change comes first, so that it does not shift the earlier one.
  if (other < first) tr.insert(to, neighbour).delete(from, from + neighbour.nodeSize)
  else tr.delete(from, from + neighbour.nodeSize).insert(to, neighbour)
  return tr.scrollIntoView()
}

/** Moves a block of the document before the block at an index; null if it already is there. */
export function moveBlockTo(state: EditorState, block: Node, index: number): BlockMove | null {
  const { doc } = state
  const at = indexOf(doc, block)
  if (at === -1 || index === at || index === at + 1) return null
  const from = startOf(doc, at)
  const to = startOf(doc, index)
  const tr = state.tr
  tr.delete(from, from + block.nodeSize)
  const target = tr.mapping.map(to)
  tr.insert(target, block).setSelection(NodeSelection.create(tr.doc, target))
  return { transaction: tr, position: index > at ? index : index + 1, count: doc.childCount }
}

function indexOf(doc: Node, block: Node): number {
  for (let index = 0; index < doc.childCount; index += 1) {
    if (doc.child(index) === block) return index
  }
  return -1
}

function startOf(doc: Node, index: number): number {
  let start = 0
  for (let before = 0; before < index; before += 1) start += doc.child(before).nodeSize
  return start
}
