import { joinLines } from './cell-lines.ts'

/** Replaces a table by a paragraph for each row, with a vertical bar between cells. */
export function flattenTable(table: HTMLTableElement): void {
  table.replaceWith(...[...table.rows].map(paragraphOf))
}

function paragraphOf(row: HTMLTableRowElement): HTMLParagraphElement {
  const { ownerDocument: page } = row
  const paragraph = page.createElement('p')
  for (const [index, cell] of [...row.cells].entries()) {
    joinLines(cell, () => page.createTextNode(' '))
    if (index > 0) paragraph.append(' | ')
    paragraph.append(...cell.childNodes)
  }
  return paragraph
}
