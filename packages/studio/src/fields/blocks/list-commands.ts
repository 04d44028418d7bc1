import { Extension, InputRule } from '@tiptap/core'
import { Fragment, type Node, type ResolvedPos } from '@tiptap/pm/model'
import { type EditorState, TextSelection, type Transaction } from '@tiptap/pm/state'

type Format = 'ordered' | 'unordered'

interface InList {
  readonly $from: ResolvedPos
  readonly item: Node
  readonly list: Node
  readonly index: number
  readonly at: number
  readonly isNested: boolean
}

function findList({ selection }: EditorState): InList | null {
  const { $from } = selection
  if ($from.parent.type.name !== 'listItem') return null
  const depth = $from.depth - 1
  const list = $from.node(depth)
  const index = $from.index(depth)
  const isNested = $from.node(depth - 1).type.name === 'list'
  return { $from, item: $from.parent, list, index, at: $from.before(depth), isNested }
}

/**
 * Moves the item to the outer list, or out of the list as a paragraph. The items after it become a
 * separate list.
 */
export function liftItem(state: EditorState): Transaction | null {
  const found = findList(state)
  if (found === null) return null
  const { $from, item, list, index, at, isNested } = found
  const children = childrenOf(list)
  const lifted = isNested ? item : state.schema.node('paragraph', null, item.content)
  const part = (nodes: readonly Node[]): readonly Node[] =>
    nodes.length === 0 ? [] : [list.copy(Fragment.from([...nodes]))]
  const before = part(children.slice(0, index))
  const replaced = [...before, lifted, ...part(children.slice(index + 1))]
  const start = at + sizeOf(before)
  return withCursor(
    state.tr.replaceWith(at, at + list.nodeSize, replaced),
    start + 1 + $from.parentOffset,
  )
}

/** Moves the item to a nested list, to the existing one before it if there is one. */
export function sinkItem(state: EditorState): Transaction | null {
  const found = findList(state)
  if (found === null || found.index === 0) return null
  const { $from, item, list, index, at } = found
  const children = childrenOf(list)
  const before = children[index - 1]
  const isJoined = before?.type.name === 'list' && before.attrs['format'] === list.attrs['format']
  const format = list.attrs['format'] as Format
  const level = depthOf($from) + 1
  const nested = isJoined
    ? before.copy(before.content.addToEnd(item))
    : state.schema.node('list', { format, extra: { indentLevel: level } }, [item])
  const kept = children.slice(0, isJoined ? index - 1 : index)
  const all = [...kept, nested, ...children.slice(index + 1)]
  const start = at + 1 + sizeOf(kept) + 1 + (isJoined ? before.content.size : 0)
  const tr = state.tr.replaceWith(at, at + list.nodeSize, list.copy(Fragment.from(all)))
  return withCursor(tr, start + 1 + $from.parentOffset)
}

/**
 * Turns the selected blocks into list items, or back into paragraphs if they already are items of
 * this format.
 */
export function toggleList(state: EditorState, format: Format): Transaction | null {
  const found = findList(state)
  if (found !== null) {
    if (found.list.attrs['format'] === format) return liftItem(state)
    return state.tr.setNodeMarkup(found.at, null, { ...found.list.attrs, format })
  }
  const { $from, $to } = state.selection
  const range = $from.blockRange($to)
  if (range === null || range.depth !== 0) return null
  const blocks = childrenOf(state.doc).slice(range.startIndex, range.endIndex)
  if (!blocks.every((block) => block.isTextblock && block.type.name !== 'codeBlock')) return null
  const items = blocks.map((block) => state.schema.node('listItem', null, block.content))
  const tr = state.tr.replaceWith(
    range.start,
    range.end,
    state.schema.node('list', { format }, items),
  )
  return withCursor(tr, $from.pos + 1)
}

function withCursor(tr: Transaction, position: number): Transaction {
  return tr.setSelection(TextSelection.near(tr.doc.resolve(position))).scrollIntoView()
}

function childrenOf(node: Node): readonly Node[] {
  return Array.from({ length: node.childCount }, (_, index) => node.child(index))
}

function sizeOf(nodes: readonly Node[]): number {
  return nodes.reduce((size, node) => size + node.nodeSize, 0)
}

function depthOf($at: ResolvedPos): number {
  const depths = Array.from({ length: $at.depth }, (_, depth) => depth)
  return depths.filter((depth) => $at.node(depth).type.name === 'list').length - 1
}

/** Keyboard shortcuts of lists, and input rules for `- ` and `1. `. */
export const ListKeys = Extension.create({
  name: 'listKeys',
  priority: 1100,
  addKeyboardShortcuts() {
    const run = (make: (state: EditorState) => Transaction | null) => (): boolean => {
      const transaction = make(this.editor.state)
      if (transaction !== null) this.editor.view.dispatch(transaction)
      return transaction !== null
    }
    const isAtStart = ({ selection }: EditorState): boolean =>
      selection.empty && selection.$from.parentOffset === 0
    return {
      Tab: run(sinkItem),
      'Shift-Tab': run(liftItem),
      Enter: run((state) => (findList(state)?.item.content.size === 0 ? liftItem(state) : null)),
      Backspace: run((state) => (isAtStart(state) ? liftItem(state) : null)),
      'Mod-Shift-8': run((state) => toggleList(state, 'unordered')),
      'Mod-Shift-7': run((state) => toggleList(state, 'ordered')),
    }
  },
  addInputRules() {
    const rule = (find: RegExp, format: Format): InputRule =>
      new InputRule({
        find,
        handler: ({ state, range }) => {
          if (findList(state) !== null) return
          const $from = state.doc.resolve(range.from)
          if ($from.depth !== 1 || $from.parent.type.name === 'codeBlock') return
          const { tr } = state
          tr.delete(range.from, range.to)
          const block = tr.doc.resolve(range.from)
          const item = state.schema.node('listItem', null, block.parent.content)
          tr.replaceWith(block.before(), block.after(), state.schema.node('list', { format }, item))
          withCursor(tr, range.from + 1)
        },
      })
    return [rule(/^[-*]\s$/, 'unordered'), rule(/^1[.)]\s$/, 'ordered')]
  },
})
