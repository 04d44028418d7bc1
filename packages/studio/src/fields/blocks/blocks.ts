import type { BlockNode } from '../../entry/block-text.ts'

export interface EditorNode {
  readonly type: string
  readonly attrs?: Readonly<Record<string, unknown>>
  readonly content?: readonly EditorNode[]
  readonly marks?: readonly EditorMark[]
  readonly text?: string
}

export interface EditorMark {
  readonly type: string
  readonly attrs?: Readonly<Record<string, unknown>>
}

export const TEXT_MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const

export const BLOCK_KEYS: Readonly<Record<string, readonly string[]>> = {
  paragraph: [],
  heading: ['level'],
  quote: [],
  code: ['language'],
  list: ['format'],
  'list-item': [],
  image: ['image'],
}

/** The names of the editor for nodes that have another name there. */
export const EDITOR_TYPES: Readonly<Record<string, string>> = {
  'list-item': 'listItem',
  code: 'codeBlock',
  quote: 'blockquote',
  'table-row': 'tableRow',
  'table-cell': 'tableCell',
  'table-header-cell': 'tableHeaderCell',
}

/** Nodes whose children are nodes of the editor as well. */
export const WITH_BLOCKS: ReadonlySet<string> = new Set(['list', 'table', 'table-row'])

/** Each holds one paragraph in the editor. */
export const CELLS: ReadonlySet<string> = new Set(['table-cell', 'table-header-cell'])

/** All other keys of a node, which the editor preserves; null if there are none. */
export function unknownKeys(
  node: BlockNode,
  known: readonly string[],
): Readonly<Record<string, unknown>> | null {
  const rest = Object.entries(node).filter(([key]) => !known.includes(key))
  return rest.length === 0 ? null : Object.fromEntries(rest)
}

export const EMPTY_TEXT: BlockNode = { type: 'text', text: '' }

/** The server sends such links for targets that are hidden from the user. */
export function isEmptyLink({ url, entry = null }: Readonly<Record<string, unknown>>): boolean {
  return url === '' && entry === null
}
