import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'
import { joinLines } from './cell-lines.ts'
import { flattenTable } from './flatten-table.ts'

/**
 * Gives all rows of pasted tables the same number of cells: cells that span others are followed by
 * empty cells. Tables in cells become lines of the cell, captions a paragraph before the table.
 * Larger tables than those of blocks become lines.
 */
export function keepTables(body: HTMLElement): void {
  for (const table of [...body.querySelectorAll('table')].toReversed()) {
    const holder = table.parentElement?.closest('td, th') ?? null
    const grid = holder === null ? gridOf([...table.rows]) : null
    if (grid === null) flattenTable(table)
    else replaceTable(table, grid)
  }
}

type SpanningCell = Pick<HTMLTableCellElement, 'tagName' | 'colSpan' | 'rowSpan'>

interface Place<Cell> {
  readonly tag: 'th' | 'td'
  /** Null for the places that a cell spans besides its own. */
  readonly cell: Cell | null
}

type Grid<Cell> = readonly (readonly Place<Cell>[])[]

const NO_CELL: Place<never> = { tag: 'td', cell: null }

/** Null for empty and too large tables. */
export function gridOf<Cell extends SpanningCell>(
  rows: readonly { readonly cells: Iterable<Cell> }[],
): Grid<Cell> | null {
  if (rows.length > MAX_TABLE_ROWS) return null
  const grid: Place<Cell>[][] = rows.map(() => [])
  for (const [index, row] of rows.entries()) {
    for (const cell of row.cells) if (!place(cell, grid, index)) return null
  }
  const width = Math.max(0, ...grid.map((row) => row.length))
  if (width === 0) return null
  return grid.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? NO_CELL))
}

/** Returns false if the row becomes too long. */
function place<Cell extends SpanningCell>(
  cell: Cell,
  grid: readonly Place<Cell>[][],
  index: number,
): boolean {
  const own = grid[index] ?? []
  const tag = cell.tagName === 'TH' ? 'th' : 'td'
  let column = 0
  while (own[column] !== undefined) column += 1
  const end = column + cell.colSpan
  if (end > MAX_TABLE_COLUMNS) return false
  const spanned = grid.slice(index, index + Math.max(1, cell.rowSpan))
  for (const row of spanned) {
    for (let at = column; at < end; at += 1) row[at] ??= { tag, cell: null }
  }
  own[column] = { tag, cell }
  return true
}

function replaceTable(table: HTMLTableElement, grid: Grid<HTMLTableCellElement>): void {
  const { ownerDocument: page } = table
  const made = page.createElement('table')
  for (const row of grid) {
    const line = page.createElement('tr')
    for (const { tag, cell } of row) {
      const copy = page.createElement(tag)
      if (cell !== null) {
        joinLines(cell, () => page.createElement('br'))
        copy.append(...cell.childNodes)
      }
      line.append(copy)
    }
    made.append(line)
  }
  const { caption } = table
  if (caption !== null) {
    const paragraph = page.createElement('p')
    paragraph.append(...caption.childNodes)
    table.before(paragraph)
  }
  table.replaceWith(made)
}
