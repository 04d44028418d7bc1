import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'

/**
 * The cells of a plain text that was copied from a spreadsheet: two or more lines with the same
 * number of tabs. Null for other texts, such as indented code, or a label and a value in one line.
 */
export function readSheet(text: string): readonly (readonly string[])[] | null {
  const rows = rowsIn(text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, ''))
  const [first = []] = rows
  const isSheet =
    rows.length > 1 &&
    first.length > 1 &&
    rows.every(({ length }) => length === first.length) &&
    rows.some(([cell]) => cell !== '')
  return isSheet ? rows : null
}

/** A cell in quotes can hold tabs, line breaks and doubled quotes. */
const CELL = /(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))([\t\n]|$)/gy

function rowsIn(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(CELL)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"').replaceAll('\t', ' ') ?? plain)
    if (end === '') break
    if (end === '\n') rows.push([])
  }
  return rows
}

/** Whether a table of blocks can have these cells. */
export function isWithinLimits(rows: readonly (readonly string[])[]): boolean {
  return rows.length <= MAX_TABLE_ROWS && (rows[0]?.length ?? 0) <= MAX_TABLE_COLUMNS
}

/** A line for each row, with a vertical bar between cells. */
export function sheetLines(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => cell.replaceAll('\n', ' ')).join(' | ')).join('\n')
}
