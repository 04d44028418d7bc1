import type { BlockNode } from '../../entry/block-text.ts'
import {
  BLOCK_KEYS,
  CELLS,
  EDITOR_TYPES,
  type EditorMark,
  type EditorNode,
  isEmptyLink,
  TEXT_MARKS,
  unknownKeys,
  WITH_BLOCKS,
} from './blocks.ts'

const TEXT_KEYS = ['type', 'text', ...TEXT_MARKS]
const LINK_KEYS = ['type', 'url', 'entry', 'children']

export function toEditor(blocks: readonly BlockNode[] | null): EditorNode {
  const numbers = { last: 0 }
  const content = (blocks ?? []).map((block) => toBlock(block, numbers))
  return { type: 'doc', content: content.length === 0 ? [{ type: 'paragraph' }] : content }
}

/** Numbers links without a target, which would join if they were equal. */
interface LinkNumbers {
  last: number
}

function toBlock(node: BlockNode, numbers: LinkNumbers): EditorNode {
  const named = BLOCK_KEYS[node.type] ?? []
  const attrs = Object.fromEntries(
    named.flatMap((key) => (node[key] === undefined ? [] : [[key, node[key]]])),
  )
  const extra = unknownKeys(node, ['type', 'children', ...named])
  const more = extra === null ? attrs : { ...attrs, extra }
  const content = contentOf(node, numbers)
  return {
    type: editorTypeOf(node.type),
    ...(Object.keys(more).length > 0 && { attrs: more }),
    ...(content.length > 0 && { content }),
  }
}

function editorTypeOf(type: string): string {
  return EDITOR_TYPES[type] ?? type
}

function contentOf(
  { type, children = [] }: BlockNode,
  numbers: LinkNumbers,
): readonly EditorNode[] {
  if (type === 'image') return []
  if (WITH_BLOCKS.has(type)) return children.map((child) => toBlock(child, numbers))
  if (CELLS.has(type)) return [toBlock({ type: 'paragraph', children }, numbers)]
  return children.flatMap((child) => toInline(child, numbers, type === 'code'))
}

function toInline(node: BlockNode, numbers: LinkNumbers, isCode: boolean): readonly EditorNode[] {
  if (node.type !== 'link') return toText(node, [], isCode)
  const extra = unknownKeys(node, LINK_KEYS)
  const { url, entry } = node
  const attrs = {
    url,
    ...(entry !== undefined && { entry }),
    ...(extra !== null && { extra }),
    ...(isEmptyLink(node) && { number: (numbers.last += 1) }),
  }
  return (node.children ?? []).flatMap((child) => toText(child, [{ type: 'link', attrs }], isCode))
}

/** Line breaks become nodes, except in code. */
function toText(
  node: BlockNode,
  within: readonly EditorMark[],
  isCode: boolean,
): readonly EditorNode[] {
  const text = String(node['text'])
  const extra = unknownKeys(node, TEXT_KEYS)
  const marks: readonly EditorMark[] = [
    ...within,
    ...TEXT_MARKS.filter((mark) => node[mark] === true).map((type) => ({ type })),
    ...(extra === null ? [] : [{ type: 'extra', attrs: { keys: extra } }]),
  ]
  const marked = marks.length > 0 && { marks }
  if (isCode) return text === '' ? [] : [{ type: 'text', text, ...marked }]
  return text
    .split('\n')
    .flatMap((line, index) => [
      ...(index === 0 ? [] : [{ type: 'hardBreak', ...marked }]),
      ...(line === '' ? [] : [{ type: 'text', text: line, ...marked }]),
    ])
}
