import { isDeepEqual } from '../../entry/deep-equal.ts'
import type { BlockNode } from '../../entry/block-text.ts'
import {
  BLOCK_KEYS,
  CELLS,
  EDITOR_TYPES,
  type EditorNode,
  EMPTY_TEXT,
  isEmptyLink,
  TEXT_MARKS,
  WITH_BLOCKS,
} from './blocks.ts'

/** Converts the editor's document to a `blocks` value; null for a single empty paragraph. */
export function fromEditor({ content = [] }: EditorNode): readonly BlockNode[] | null {
  const blocks = content.map(toBlock)
  const [first] = blocks
  const isEmpty = blocks.length <= 1 && (first === undefined || isEmptyParagraph(first))
  return isEmpty ? null : blocks
}

function isEmptyParagraph({ type, children, ...rest }: BlockNode): boolean {
  return (
    type === 'paragraph' && Object.keys(rest).length === 0 && isDeepEqual(children, [EMPTY_TEXT])
  )
}

function toBlock(node: EditorNode): BlockNode {
  const type = typeOf(node.type)
  const attrs = node.attrs ?? {}
  const named = (BLOCK_KEYS[type] ?? []).flatMap((key) =>
    attrs[key] === undefined || attrs[key] === null ? [] : [[key, attrs[key]] as const],
  )
  const extra = (attrs['extra'] ?? {}) as Readonly<Record<string, unknown>>
  return { type, ...Object.fromEntries(named), ...extra, children: childrenOf(type, node) }
}

const BLOCK_TYPES = new Map(Object.entries(EDITOR_TYPES).map(([type, name]) => [name, type]))

function typeOf(name: string): string {
  return BLOCK_TYPES.get(name) ?? name
}

function childrenOf(type: string, { content = [] }: EditorNode): readonly BlockNode[] {
  if (type === 'image') return [EMPTY_TEXT]
  if (WITH_BLOCKS.has(type)) return content.map(toBlock)
  if (CELLS.has(type)) return inlineOf(content[0]?.content ?? [])
  return inlineOf(content)
}

interface Piece {
  readonly text: BlockNode
  readonly link: Readonly<Record<string, unknown>> | null
  /** Null for links with a target. */
  readonly number: unknown
}

/** Joins adjacent texts with the same marks, also inside a link. */
function inlineOf(content: readonly EditorNode[]): readonly BlockNode[] {
  const children: BlockNode[] = []
  let lastNumber: unknown = null
  for (const { text, link, number } of content.map(toPiece)) {
    const last = children.at(-1)
    const isContinued = number === lastNumber
    lastNumber = number
    if (link === null) join(children, text)
    else if (last !== undefined && isContinued && isSameLink(last, link)) {
      const within = [...(last.children ?? [])]
      join(within, text)
      children[children.length - 1] = { ...last, children: within }
    } else children.push({ type: 'link', ...link, children: [text] })
  }
  return children.length === 0 ? [EMPTY_TEXT] : children
}

function isSameLink(node: BlockNode, link: object): boolean {
  const keys = Object.entries(node).filter(([key]) => key !== 'type' && key !== 'children')
  return node.type === 'link' && isDeepEqual(Object.fromEntries(keys), link)
}

/** Appends a text to a list, or to its last text if both have the same marks. */
function join(list: BlockNode[], piece: BlockNode): void {
  const last = list.at(-1)
  const { text, ...look } = piece
  if (last !== undefined) {
    const { text: before, ...lastLook } = last
    if (isDeepEqual(look, lastLook)) {
      list[list.length - 1] = { ...piece, text: `${String(before)}${String(text)}` }
      return
    }
  }
  list.push(piece)
}

function toPiece({ type, text = '', marks = [] }: EditorNode): Piece {
  const attrsOf = (name: string): Readonly<Record<string, unknown>> | undefined =>
    marks.find((mark) => mark.type === name)?.attrs
  const looks = TEXT_MARKS.filter((name) => marks.some((mark) => mark.type === name))
  const extra = (attrsOf('extra')?.['keys'] ?? {}) as Readonly<Record<string, unknown>>
  return {
    text: {
      type: 'text',
      text: type === 'hardBreak' ? '\n' : text,
      ...Object.fromEntries(looks.map((name) => [name, true])),
      ...extra,
    },
    ...toLink(attrsOf('link')),
  }
}

function toLink(
  link: Readonly<Record<string, unknown>> | undefined,
): Pick<Piece, 'link' | 'number'> {
  if (link === undefined) return { link: null, number: null }
  const { extra, number = null } = link
  return {
    link: { ...targetOf(link), ...(extra as object | null | undefined) },
    number: isEmptyLink(link) ? number : null,
  }
}

function targetOf({ url, entry = null }: Readonly<Record<string, unknown>>): object {
  return entry === null ? { url } : { url, entry }
}
