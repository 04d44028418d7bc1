import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'
import type { Node, Schema } from '@tiptap/pm/model'
import { type Command, type EditorState, Selection, type Transaction } from '@tiptap/pm/state'
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  CellSelection,
  deleteColumn,
  deleteRow,
  deleteTable,
  goToNextCell,
  isInTable,
  selectedRect,
} from '@tiptap/pm/tables'
import { placeBlock } from './place-block.ts'

const NEW_ROWS = 3
const NEW_COLUMNS = 3

export function createTable(schema: Schema): Node {
  const line = Array.from({ length: NEW_COLUMNS }, () => '')
  return tableOf(
    schema,
    Array.from({ length: NEW_ROWS }, () => line),
    true,
  )
}

export function tableOf(
  schema: Schema,
  rows: readonly (readonly string[])[],
  hasHeader = false,
): Node {
  const cell = (text: string, isHeader: boolean): Node => {
    const lines = text
      .split('\n')
      .flatMap((line, index) => [
        ...(index === 0 ? [] : [schema.node('hardBreak')]),
        ...(line === '' ? [] : [schema.text(line)]),
      ])
    return schema.node(
      isHeader ? 'tableHeaderCell' : 'tableCell',
      null,
      schema.node('paragraph', null, lines),
    )
  }
  return schema.node(
    'table',
    null,
    rows.map((row, index) => {
      const isHeader = hasHeader && index === 0
      return schema.node(
        'tableRow',
        null,
        row.map((text) => cell(text, isHeader)),
      )
    }),
  )
}

/** Inserts a table after the block of the selection, or instead of it if it is an empty paragraph. */
export function insertTable(state: EditorState): Transaction {
  const { $from } = state.selection
  const block = $from.depth === 0 ? null : $from.node(1)
  const isReplaced = block?.type.name === 'paragraph' && block.content.size === 0
  const end = block === null ? $from.pos : $from.after(1)
  const start = isReplaced ? $from.before(1) : end
  return placeBlock(state, start, end, createTable(state.schema))
}

/** Whether all cells of the first row are headers. */
export function hasHeaderRow(state: EditorState): boolean {
  const { table } = selectedRect(state)
  return cellsOf(table.child(0)).every(({ type }) => type.name === 'tableHeaderCell')
}

export const toggleHeaderRow: Command = (state, dispatch) => {
  if (!isInTable(state)) return false
  const { table, tableStart } = selectedRect(state)
  const type = state.schema.nodes[hasHeaderRow(state) ? 'tableCell' : 'tableHeaderCell']
  const { tr } = state
  let at = tableStart + 1
  for (const cell of cellsOf(table.child(0))) {
    tr.setNodeMarkup(at, type)
    at += cell.nodeSize
  }
  dispatch?.(tr)
  return true
}

function cellsOf(row: Node): readonly Node[] {
  return Array.from({ length: row.childCount }, (_, index) => row.child(index))
}

/** The last cell adds a row below. At the limits, the key leaves the table. */
export const goForward =
  (canGrow: boolean): Command =>
  (state, dispatch) => {
    if (!isInTable(state)) return false
    return goToNextCell(1)(state, dispatch) || (canGrow && addLastRow(state, dispatch))
  }

const addLastRow: Command = (state, dispatch) => {
  const { map, tableStart } = selectedRect(state)
  if (map.height >= MAX_TABLE_ROWS) return false
  return addRowAfter(state, (tr) => {
    const table = tr.doc.nodeAt(tableStart - 1)
    const row = table?.lastChild?.nodeSize ?? 0
    const start = tr.doc.resolve(tableStart + (table?.content.size ?? 0) - row)
    dispatch?.(tr.setSelection(Selection.near(start)).scrollIntoView())
  })
}

export const goBack: Command = (state, dispatch) => goToNextCell(-1)(state, dispatch)

/** A line break in a cell, because cells have no paragraphs. */
export const breakLine: Command = (state, dispatch) => {
  if (!isInTable(state)) return false
  if (state.selection instanceof CellSelection) return true
  const { tr, schema } = state
  dispatch?.(tr.replaceSelectionWith(schema.node('hardBreak')).scrollIntoView())
  return true
}

/** Puts the cursor into a new paragraph below the table. */
const addTextBelow: Command = (state, dispatch) => {
  if (!isInTable(state)) return false
  const after = state.selection.$head.after(1)
  const tr = state.tr.insert(after, state.schema.node('paragraph'))
  dispatch?.(tr.setSelection(Selection.near(tr.doc.resolve(after + 1))).scrollIntoView())
  return true
}

const within =
  (count: (state: EditorState) => number, limit: number, command: Command): Command =>
  (state, dispatch) =>
    isInTable(state) && count(state) < limit && command(state, dispatch)
const rows = (state: EditorState): number => selectedRect(state).map.height
const columns = (state: EditorState): number => selectedRect(state).map.width

/** The changes of a table, in the order of the menu. The last row or column takes the table with it. */
export const TABLE_CHANGES = {
  rowAbove: within(rows, MAX_TABLE_ROWS, addRowBefore),
  rowBelow: within(rows, MAX_TABLE_ROWS, addRowAfter),
  columnBefore: within(columns, MAX_TABLE_COLUMNS, addColumnBefore),
  columnAfter: within(columns, MAX_TABLE_COLUMNS, addColumnAfter),
  headerRow: toggleHeaderRow,
  textBelow: addTextBelow,
  deleteRow: (state, dispatch) => deleteRow(state, dispatch) || deleteTable(state, dispatch),
  deleteColumn: (state, dispatch) => deleteColumn(state, dispatch) || deleteTable(state, dispatch),
  deleteTable,
} satisfies Readonly<Record<string, Command>>

export type TableChange = keyof typeof TABLE_CHANGES

const GROWING: ReadonlySet<TableChange> = new Set([
  'rowAbove',
  'rowBelow',
  'columnBefore',
  'columnAfter',
])

/** The changes for the menu. Tables that the text does not take do not grow. */
export function offeredChanges(canInsert: boolean): readonly TableChange[] {
  const all = Object.keys(TABLE_CHANGES) as readonly TableChange[]
  return canInsert ? all : all.filter((change) => !GROWING.has(change))
}

/** The changes that the selection or the limits of a table rule out. */
export function disabledChanges(state: EditorState): readonly TableChange[] {
  return offeredChanges(true).filter((change) => {
    const command: Command = TABLE_CHANGES[change]
    return !command(state)
  })
}
