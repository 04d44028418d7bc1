import type { Node } from '@tiptap/pm/model'
import { type EditorState, TextSelection, type Transaction } from '@tiptap/pm/state'
import { ReplaceStep } from '@tiptap/pm/transform'
import { textDifferences } from '../text-difference.ts'

/**
 * Changes the document to one from elsewhere by replacing the ranges that differ. The selection
 * stays in the rest, and undo does not take the change back. Null if the documents are equal.
 */
export function replaceDifference(state: EditorState, next: Node): Transaction | null {
  const ranges = rangesIn(state.doc, next, 0, 0)
  if (ranges.length === 0) return null
  const tr = state.tr
  for (const { start, end, nextStart, nextEnd } of ranges.toReversed()) {
    tr.step(new ReplaceStep(start, end, next.slice(nextStart, nextEnd)))
  }
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
  /** In the next document, as is `nextEnd`. */
  readonly nextStart: number
  readonly nextEnd: number
}

type Ranges = readonly DifferingRange[]

/** The ranges in the content of two nodes, which begins at `at` and at `nextAt`. */
function rangesIn(node: Node, next: Node, at: number, nextAt: number): Ranges {
  const ranges = (node.isTextblock ? textRanges : blockRanges)(node, next, at, nextAt)
  return ranges ?? oneRange(node, next, at, nextAt)
}

function oneRange(node: Node, next: Node, at: number, nextAt: number): Ranges {
  const start = node.content.findDiffStart(next.content)
  const ends = node.content.findDiffEnd(next.content)
  if (start === null || ends === null) return []
  // Repeated content belongs to both the common start and the common end.
  const overlap = Math.max(0, start - Math.min(ends.a, ends.b))
  return [
    {
      start: at + start,
      end: at + ends.a + overlap,
      nextStart: nextAt + start,
      nextEnd: nextAt + ends.b + overlap,
    },
  ]
}

/** Null if the number of blocks differs: then the positions of blocks say nothing. */
function blockRanges(node: Node, next: Node, at: number, nextAt: number): Ranges | null {
  if (node.childCount !== next.childCount) return null
  const ranges: DifferingRange[] = []
  let [start, nextStart] = [at, nextAt]
  for (let index = 0; index < node.childCount; index += 1) {
    const [child, nextChild] = [node.child(index), next.child(index)]
    if (!child.eq(nextChild)) {
      if (child.isLeaf || !child.sameMarkup(nextChild)) return null
      ranges.push(...rangesIn(child, nextChild, start + 1, nextStart + 1))
    }
    start += child.nodeSize
    nextStart += nextChild.nodeSize
  }
  return ranges
}

/** Null if marks differ between the ranges. */
function textRanges(node: Node, next: Node, at: number, nextAt: number): Ranges | null {
  const ranges: DifferingRange[] = []
  let [end, nextEnd] = [0, 0]
  const isSame = (to: number, nextTo: number): boolean =>
    node.content.cut(end, to).eq(next.content.cut(nextEnd, nextTo))
  for (const { from, to, insert } of textDifferences(charactersOf(node), charactersOf(next))) {
    const nextFrom = nextEnd + from - end
    if (!isSame(from, nextFrom)) return null
    ;[end, nextEnd] = [to, nextFrom + insert.length]
    ranges.push({
      start: at + from,
      end: at + end,
      nextStart: nextAt + nextFrom,
      nextEnd: nextAt + nextEnd,
    })
  }
  return isSame(node.content.size, next.content.size) ? ranges : null
}

/** One character for each position. */
function charactersOf(node: Node): string {
  return node.textBetween(0, node.content.size, undefined, '\uFFFC')
}
