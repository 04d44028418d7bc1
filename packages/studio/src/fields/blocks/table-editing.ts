import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'
import { Extension } from '@tiptap/core'
import { Fragment, type Node, type ResolvedPos, type Schema, Slice } from '@tiptap/pm/model'
import {
  type Command,
  type EditorState,
  type NodeSelection,
  Plugin,
  Selection,
  type Transaction,
} from '@tiptap/pm/state'
import {
  __pastedCells as pastedCells,
  CellSelection,
  handlePaste,
  isInTable,
  selectedRect,
  tableEditing,
} from '@tiptap/pm/tables'
import { Decoration, DecorationSet, type EditorView } from '@tiptap/pm/view'
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
    handlePaste: (view, _event, slice) => {
      const pasted = pasteIntoCell(view.state, slice)
      if (pasted === null) return false
      view.dispatch(pasted.scrollIntoView().setMeta('paste', true).setMeta('uiEvent', 'paste'))
      return true
    },
    handleDrop: (view, { clientX, clientY }, slice, isMove) => {
      const at = view.posAtCoords({ left: clientX, top: clientY })?.pos
      // Its node is a picture that was dragged without being selected.
      const { node = null } = (view.dragging ?? {}) as { readonly node?: NodeSelection }
      const moved = isMove ? (node ?? view.state.selection) : null
      const dropped = at === undefined ? null : dropOnCell(view.state, at, slice, moved)
      if (dropped === null) return false
      view.focus()
      view.dispatch(dropped.setMeta('uiEvent', 'drop'))
      return true
    },
  },
})

/** Returns null if the slice has no pictures, or the selection is in no table. */
export function pasteIntoCell(state: EditorState, slice: Slice): Transaction | null {
  const { text, pictures } = splitPasted(slice)
  if (!isInTable(state) || pictures.size === 0) return null
  const tr = replaceSelected(state, text)
  return tr.insert(tr.mapping.map(state.selection.$head.after(1)), pictures)
}

/** Fills each of several selected cells, as a paste without pictures does. */
function replaceSelected(state: EditorState, text: Slice): Transaction {
  let { tr } = state
  if (text.size === 0) return tr.deleteSelection()
  const dispatch = (one: Transaction): void => void (tr = one)
  const areCells = handlePaste({ state, dispatch } as EditorView, null as never, text)
  return areCells ? tr : tr.replaceSelection(text)
}

/**
 * Keeps the table whole: several blocks become lines of the cell. A drop between cells goes into the
 * nearest cell. Returns null for other places, and for a text in one line on a cell.
 */
export function dropOnCell(
  state: EditorState,
  at: number,
  slice: Slice,
  moved: Selection | null,
): Transaction | null {
  const target = nearestCellPlace(state.doc.resolve(at))
  if (target === null || (target === at && isLine(slice.content))) return null
  const { tr } = state
  moved?.replace(tr)
  const place = tr.mapping.map(target)
  if (!isInCell(tr.doc.resolve(place))) return tr.replaceRange(place, place, slice)
  const { text, pictures } = splitPasted(linesOf(slice, state.schema))
  tr.replaceRange(place, place, text)
  const below = tr.doc.resolve(tr.mapping.map(target)).after(1)
  tr.insert(below, pictures)
  const [end, side] = pictures.size === 0 ? [tr.mapping.map(target), -1] : [below, 1]
  return tr.setSelection(Selection.near(tr.doc.resolve(end), side))
}

function isLine({ firstChild, childCount }: Fragment): boolean {
  return firstChild?.isInline === true || (childCount === 1 && firstChild?.isTextblock === true)
}

/** Null outside of tables. */
function nearestCellPlace($at: ResolvedPos): number | null {
  if (isInCell($at)) return $at.pos
  if ($at.depth === 0 || $at.node(1).type.name !== 'table') return null
  const places = ([1, -1] as const).map((side) => Selection.near($at, side).$from)
  const own = places.find(($place) => isInCell($place) && $place.before(1) === $at.before(1))
  return own?.pos ?? null
}

function isInCell($at: ResolvedPos): boolean {
  return $at.depth > 2 && $at.node(1).type.name === 'table'
}

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
    const content = cell.firstChild?.content ?? Fragment.empty
    all = index === 0 ? content : all.append(bar).append(content)
  })
  return all
}
