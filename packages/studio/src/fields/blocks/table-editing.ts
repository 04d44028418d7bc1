import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'
import { Extension } from '@tiptap/core'
import { Fragment, type Node, type Schema, Slice } from '@tiptap/pm/model'
import { type Command, type EditorState, Plugin } from '@tiptap/pm/state'
import {
  __pastedCells as pastedCells,
  CellSelection,
  handlePaste,
  isInTable,
  selectedRect,
  tableEditing,
} from '@tiptap/pm/tables'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { breakLine, goBack, goForward } from './table-commands.ts'

interface TableEditingOptions {
  readonly canGrow: boolean
}

export const TableEditing = Extension.create<TableEditingOptions>({
  name: 'tableEditing',
  priority: 1200, // before the keys of lists and paragraphs
  addOptions: () => ({ canGrow: true }),
  addProseMirrorPlugins: () => [PastedIntoCell, tableEditing(), emptyHeaders()],
  addKeyboardShortcuts() {
    const run = (command: Command) => (): boolean => {
      const { state, view } = this.editor
      return command(state, view.dispatch.bind(view), view)
    }
    return {
      Tab: run(goForward(this.options.canGrow)),
      'Shift-Tab': run(goBack),
      Enter: run(breakLine),
    }
  },
})

/** Screen readers announce a header for each cell of its column, so an empty one is a plain cell. */
function emptyHeaders(): Plugin<DecorationSet> {
  const plugin: Plugin<DecorationSet> = new Plugin({
    state: {
      init: (_config, { doc }) => decorateHeaders(doc),
      apply: (tr, before) => (tr.docChanged ? decorateHeaders(tr.doc) : before),
    },
    props: { decorations: (state) => plugin.getState(state) },
  })
  return plugin
}

function decorateHeaders(doc: Node): DecorationSet {
  const found: Decoration[] = []
  doc.forEach((block, at) => {
    if (block.type.name !== 'table') return
    block.descendants((node, offset) => {
      if (node.type.name === 'tableHeaderCell' && node.textContent.trim() === '') {
        const start = at + 1 + offset
        found.push(Decoration.node(start, start + node.nodeSize, { role: 'cell' }))
      }
      return node.type.name === 'tableRow'
    })
  })
  return DecorationSet.create(doc, found)
}

const PastedIntoCell = new Plugin({
  props: {
    transformPasted: (slice, { state }) => fitPasted(slice, state),
    handlePaste: (view, event, slice) => {
      const { text, pictures } = splitPasted(slice)
      if (!isInTable(view.state) || pictures.size === 0) return false
      const { state } = view
      view.dispatch(state.tr.insert(state.selection.$head.after(1), pictures))
      if (text.size > 0 && !handlePaste(view, event, text)) {
        view.dispatch(view.state.tr.replaceSelection(text))
      }
      return true
    },
  },
})

/** Cells hold no pictures. They go below the table. */
function splitPasted({ content, openStart }: Slice): {
  readonly text: Slice
  readonly pictures: Fragment
} {
  const texts: Node[] = []
  const pictures: Node[] = []
  content.forEach((node) => (node.type.name === 'image' ? pictures : texts).push(node))
  return {
    text: new Slice(Fragment.from(texts), openStart, openStart),
    pictures: Fragment.from(pictures),
  }
}

/**
 * The pasted content for the place of the selection. A cell takes one paragraph, so other blocks
 * become its lines, and so do cells with which the table would exceed its limits. Pictures follow.
 */
export function fitPasted(slice: Slice, state: EditorState): Slice {
  if (!isInTable(state)) return slice
  const cells = pastedCells(slice)
  return cells !== null && hasRoomFor(cells, state) ? slice : linesOf(slice, state.schema)
}

function hasRoomFor({ width, height }: CellArea, state: EditorState): boolean {
  if (state.selection instanceof CellSelection) return true // takes the cells that fit
  const { left, top } = selectedRect(state)
  return left + width <= MAX_TABLE_COLUMNS && top + height <= MAX_TABLE_ROWS
}

interface CellArea {
  readonly width: number
  readonly height: number
}

function linesOf(slice: Slice, schema: Schema): Slice {
  const lines: Fragment[] = []
  collectLines(slice.content, lines)
  const pieces = lines.flatMap((line, index) =>
    index === 0 ? [line] : [Fragment.from(schema.node('hardBreak')), line],
  )
  const inline = pieces.reduce((all, piece) => all.append(piece), Fragment.empty)
  const text = inline.size === 0 ? [] : [schema.node('paragraph', null, inline)]
  const pictures = picturesOf(slice.content)
  const open = text.length
  return new Slice(Fragment.from([...text, ...pictures]), open, pictures.length === 0 ? open : 0)
}

function picturesOf(content: Fragment): readonly Node[] {
  const found: Node[] = []
  content.descendants((node) => {
    if (node.type.name === 'image') found.push(node)
    return !node.isTextblock
  })
  return found
}

function collectLines(content: Fragment, lines: Fragment[]): void {
  const first = content.firstChild
  if (first?.isInline === true) lines.push(content)
  else content.forEach((node) => collectBlock(node, lines))
}

function collectBlock(node: Node, lines: Fragment[]): void {
  if (node.isTextblock) lines.push(node.content)
  else if (node.type.name === 'tableRow') lines.push(joinCells(node))
  else collectLines(node.content, lines)
}

/** With a vertical bar between cells, as in texts without tables. */
function joinCells(row: Node): Fragment {
  const bar = Fragment.from(row.type.schema.text(' | '))
  let all = Fragment.empty
  row.forEach((cell, _offset, index) => {
    const { content } = cell.child(0)
    all = index === 0 ? content : all.append(bar).append(content)
  })
  return all
}
