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
    const grid = holder === null ? gridOf(table) : null
    if (grid === null) flattenTable(table)
    else replaceTable(table, grid)
  }
}

interface Place {
  readonly tag: 'th' | 'td'
  /** Null for the places that a cell spans besides its own. */
  readonly cell: HTMLTableCellElement | null
}

type Grid = readonly (readonly Place[])[]

const NO_CELL: Place = { tag: 'td', cell: null }

/** Null for empty and too large tables. */
function gridOf({ rows }: HTMLTableElement): Grid | null {
  if (rows.length > MAX_TABLE_ROWS) return null
  const grid: Place[][] = [...rows].map(() => [])
  for (const [index, row] of [...rows].entries()) {
    for (const cell of row.cells) place(cell, grid, index)
  }
  const width = Math.max(0, ...grid.map((row) => row.length))
  if (width === 0 || width > MAX_TABLE_COLUMNS) return null
  return grid.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? NO_CELL))
}

function place(cell: HTMLTableCellElement, grid: Place[][], index: number): void {
  const own = grid[index] ?? []
  const tag = cell.tagName === 'TH' ? 'th' : 'td'
  let column = 0
  while (own[column] !== undefined) column += 1
  const width = Math.min(cell.colSpan, MAX_TABLE_COLUMNS + 1)
  const spanned = grid.slice(index, index + Math.max(1, cell.rowSpan))
  for (const row of spanned) {
    for (let at = column; at < column + width; at += 1) row[at] ??= { tag, cell: null }
  }
  own[column] = { tag, cell }
}

function replaceTable(table: HTMLTableElement, grid: Grid): void {
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
