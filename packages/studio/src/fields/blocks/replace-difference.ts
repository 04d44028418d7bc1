import type { Node } from '@tiptap/pm/model'
import { type EditorState, TextSelection, type Transaction } from '@tiptap/pm/state'
import { ReplaceStep } from '@tiptap/pm/transform'

/**
 * Changes the document to one from elsewhere by replacing the range that differs. The selection
 * stays in the rest, and undo does not take the change back. Null if the documents are equal.
 */
export function replaceDifference(state: EditorState, next: Node): Transaction | null {
  const range = differingRange(state.doc, next)
  if (range === null) return null
  const { start, end, nextEnd } = range
  const tr = state.tr
  tr.step(new ReplaceStep(start, end, next.slice(start, nextEnd)))
  if (state.selection instanceof TextSelection) {
    // A cursor at the place of an insertion stays before it.
    const { anchor, head } = state.selection
    const [$anchor, $head] = [anchor, head].map((at) => tr.doc.resolve(tr.mapping.map(at, -1)))
    if ($anchor !== undefined && $head !== undefined) {
      tr.setSelection(TextSelection.between($anchor, $head, -1))
    }
  }
  return tr.setMeta('addToHistory', false)
}

interface DifferingRange {
  readonly start: number
  readonly end: number
  /** The end in the next document. */
  readonly nextEnd: number
}

function differingRange(doc: Node, next: Node): DifferingRange | null {
  const start = doc.content.findDiffStart(next.content)
  const ends = doc.content.findDiffEnd(next.content)
  if (start === null || ends === null) return null
  // Repeated content belongs to both the common start and the common end.
  const overlap = Math.max(0, start - Math.min(ends.a, ends.b))
  return { start, end: ends.a + overlap, nextEnd: ends.b + overlap }
}
