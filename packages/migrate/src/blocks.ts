import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'
import type { Data } from './data.ts'

export const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const
export type Mark = (typeof MARKS)[number]

export type Inline = Data

export function textNode(text: string, marks: ReadonlySet<Mark> = new Set()): Inline {
  const set = Object.fromEntries(
    MARKS.filter((mark) => marks.has(mark)).map((mark) => [mark, true]),
  )
  return { type: 'text', text, ...set }
}

/** Creates a link, or only its texts for an unsafe URL. */
export function linkNode(url: string, children: readonly Inline[]): readonly Inline[] {
  const address = addressOf(url)
  const texts = children.flatMap((child) =>
    child['type'] === 'link' ? (child['children'] as readonly Inline[]) : [child],
  )
  if (address === null) return texts
  return [{ type: 'link', url: address, children: texts.length > 0 ? texts : [textNode(address)] }]
}

/** Creates a link to a stored file. `apply` fills in its URL. */
export function fileLink(documentId: string, children: readonly Inline[]): Inline {
  const texts = children.filter((child) => child['type'] === 'text')
  return { type: 'link', file: { documentId }, children: texts }
}

export function paragraph(children: readonly Inline[]): Data {
  return { type: 'paragraph', children: filled(children) }
}

export function heading(level: number, children: readonly Inline[]): Data {
  return { type: 'heading', level, children: filled(children) }
}

export function quote(children: readonly Inline[]): Data {
  return { type: 'quote', children: filled(children) }
}

export function code(text: string): Data {
  return { type: 'code', children: [textNode(text)] }
}

/** Creates an image by documentId. `apply` completes it with stored values. */
export function image(documentId: string, caption: string | null): Data {
  const file = caption === null ? { documentId } : { documentId, caption }
  return { type: 'image', image: file, children: [textNode('')] }
}

export function listItem(children: readonly Inline[]): Data {
  return { type: 'list-item', children: filled(children) }
}

/** @param depth number of surrounding lists */
export function list(ordered: boolean, children: readonly Data[], depth: number): Data {
  const format = ordered ? 'ordered' : 'unordered'
  return { type: 'list', format, children: [...children], ...(depth > 0 && { indentLevel: depth }) }
}

export interface TableCell {
  readonly isHeader: boolean
  readonly children: readonly Inline[]
  /** In columns and rows. */
  readonly width: number
  readonly height: number
}

/** Creates a table without spans: empty cells follow a wide or high one. Null for too large tables. */
export function table(rows: readonly (readonly TableCell[])[]): Data | null {
  const grid: Data[][] = rows.map(() => [])
  for (const [top, row] of rows.entries()) {
    for (const cell of row) placeCell(cell, grid.slice(top))
  }
  const width = Math.max(0, ...grid.map(({ length }) => length))
  if (width === 0 || width > MAX_TABLE_COLUMNS || rows.length > MAX_TABLE_ROWS) return null
  const children = grid.map((row) => ({
    type: 'table-row',
    children: Array.from({ length: width }, (_, column) => row[column] ?? cellNode('table-cell')),
  }))
  return { type: 'table', children }
}

function placeCell({ isHeader, children, width, height }: TableCell, grid: Data[][]): void {
  const type = isHeader ? 'table-header-cell' : 'table-cell'
  const [own = []] = grid
  let left = 0
  while (own[left] !== undefined) left += 1
  const right = left + Math.min(width, MAX_TABLE_COLUMNS + 1)
  for (const row of grid.slice(0, height)) {
    for (let column = left; column < right; column += 1) row[column] ??= cellNode(type)
  }
  own[left] = cellNode(type, children)
}

function cellNode(type: string, children: readonly Inline[] = []): Data {
  return { type, children: filled(children) }
}

export function plainText(children: readonly Inline[]): string {
  return children
    .map((child) =>
      child['type'] === 'link'
        ? plainText(child['children'] as readonly Inline[])
        : String(child['text']),
    )
    .join('')
}

function filled(children: readonly Inline[]): readonly Inline[] {
  return children.length > 0 ? children : [textNode('')]
}

function addressOf(url: string): string | null {
  const address = url.trim()
  if (address === '' || /^(?:javascript|data|vbscript):/i.test(address)) return null
  if (URL.canParse(address)) return address
  if (/^(?:[/?#]|\.\.?\/|www\.)\S*$/.test(address)) return address
  const encoded = encodeURI(address)
  return URL.canParse(encoded) || /^[/?#]/.test(encoded) ? encoded : `./${encoded}`
}
