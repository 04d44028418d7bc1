import type { Data } from '../data.ts'
import {
  code,
  fileLink,
  heading,
  image,
  type Inline,
  linkNode,
  list,
  listItem,
  type Mark,
  MARKS,
  paragraph,
  plainText,
  quote,
  table,
  textNode,
} from '../blocks.ts'
import { linkOf } from './export-types.ts'

export interface RichTextContext {
  readonly asset: (
    id: string,
  ) => { readonly documentId: string; readonly isImage: boolean; readonly name: string } | null
  readonly note: (sentence: string) => void
  readonly tables: boolean
}

interface RichTextNode {
  readonly nodeType?: string
  readonly content?: readonly RichTextNode[]
  readonly data?: Data
  readonly value?: string
  readonly marks?: readonly { readonly type: string }[]
}

/** Converts a rich text document to `blocks`. Returns null for other values. */
export function richTextBlocks(
  document: unknown,
  context: RichTextContext,
): readonly Data[] | null {
  const { nodeType, content } = (document ?? {}) as RichTextNode
  if (nodeType !== 'document' || content === undefined) return null
  const blocks = content.flatMap((node) => blocksOf(node, context, 0))
  // The editor always adds an empty paragraph.
  const last = blocks.at(-1)
  const isEmpty = last?.['type'] === 'paragraph' && plainText(last['children'] as Inline[]) === ''
  return isEmpty ? blocks.slice(0, -1) : blocks
}

type Convert<Made> = (
  node: RichTextNode,
  context: RichTextContext,
  depth: number,
) => readonly Made[]

const BLOCKS: ReadonlyMap<string, Convert<Data>> = new Map<string, Convert<Data>>([
  ['paragraph', ({ content = [] }, context) => [paragraphOf(content, context)]],
  ['unordered-list', listBlocks],
  ['ordered-list', listBlocks],
  ['blockquote', ({ content = [] }, context) => [quote(linesOf(content, context))]],
  ['table', tableBlocks],
  ['embedded-asset-block', assetBlocks],
  ['hr', leaveOut('a horizontal rule is left out')],
  ['embedded-entry-block', leaveOut('an entry within a text is left out')],
  ['embedded-resource-block', leaveOut('an entry within a text is left out')],
])

function blocksOf(node: RichTextNode, context: RichTextContext, depth: number): readonly Data[] {
  const { nodeType = '', content = [] } = node
  const level = /^heading-([1-6])$/.exec(nodeType)?.[1]
  if (level !== undefined) return [heading(Number(level), inlinesOf(content, context))]
  const convert = BLOCKS.get(nodeType)
  if (convert !== undefined) return convert(node, context, depth)
  context.note(`${nodeType || 'a node without a type'} is what it says`)
  return [paragraph(inlinesOf(content, context))]
}

function leaveOut(sentence: string): Convert<never> {
  return (_node, context) => {
    context.note(sentence)
    return []
  }
}

function tableBlocks({ content = [] }: RichTextNode, context: RichTextContext): readonly Data[] {
  const rows = content.map(({ content: cells = [] }) =>
    cells.map(({ nodeType, content: lines = [], data }) => ({
      isHeader: nodeType === 'table-header-cell',
      children: linesOf(lines, context),
      width: spanOf(data?.['colspan']),
      height: spanOf(data?.['rowspan']),
    })),
  )
  const made = context.tables ? table(rows) : null
  if (made !== null) return [made]
  context.note('a table is a paragraph for each row')
  return content.map((row) => paragraph(rowOf(row, context)))
}

function spanOf(value: unknown): number {
  return Math.max(1, Number(value) || 1)
}

/** Contentful has no code blocks, so a paragraph of code only becomes one. */
function paragraphOf(content: readonly RichTextNode[], context: RichTextContext): Data {
  const isCode = content.length > 0 && content.every(isCodeOnly)
  const inlines = inlinesOf(content, context)
  const text = plainText(inlines)
  return isCode && text.includes('\n') ? code(text) : paragraph(inlines)
}

function isCodeOnly({ nodeType, marks = [] }: RichTextNode): boolean {
  return nodeType === 'text' && marks.some(({ type }) => type === 'code')
}

/** List items only contain text. Nested lists follow their item, and images follow the list. */
function listBlocks(node: RichTextNode, context: RichTextContext, depth: number): readonly Data[] {
  const after: Data[] = []
  const children = (node.content ?? []).flatMap((item) => {
    const within: Data[] = []
    const lines = (item.content ?? []).filter((child) => {
      const blocks = isLine(child) ? [] : blocksOf(child, context, depth + 1)
      within.push(...blocks.filter(({ type }) => type === 'list'))
      after.push(...blocks.filter(({ type }) => type !== 'list'))
      return isLine(child)
    })
    return [listItem(linesOf(lines, context)), ...within]
  })
  if (after.length > 0) context.note('what an item of a list holds beside text follows the list')
  return [list(node.nodeType === 'ordered-list', children, depth), ...after]
}

function isLine({ nodeType = '' }: RichTextNode): boolean {
  return nodeType === 'paragraph' || nodeType.startsWith('heading-')
}

function linesOf(nodes: readonly RichTextNode[], context: RichTextContext): readonly Inline[] {
  return nodes.flatMap(({ content = [] }, index) => {
    const inlines = inlinesOf(content, context)
    return index === 0 ? inlines : [textNode('\n'), ...inlines]
  })
}

function rowOf({ content = [] }: RichTextNode, context: RichTextContext): readonly Inline[] {
  return content.flatMap((cell, index) => {
    const inlines = linesOf(cell.content ?? [], context)
    return index === 0 ? inlines : [textNode(' | '), ...inlines]
  })
}

function assetBlocks({ data }: RichTextNode, context: RichTextContext): readonly Data[] {
  const asset = context.asset(linkOf(data?.['target'])?.id ?? '')
  if (asset === null) {
    context.note('an asset within a text is not there')
    return []
  }
  if (asset.isImage) return [image(asset.documentId, null)]
  return [paragraph([fileLink(asset.documentId, [textNode(asset.name)])])]
}

const INLINES: ReadonlyMap<string, Convert<Inline>> = new Map<string, Convert<Inline>>([
  ['text', textInlines],
  ['hyperlink', hyperlinkInlines],
  ['asset-hyperlink', assetInlines],
  ['entry-hyperlink', entryInlines],
  ['resource-hyperlink', entryInlines],
  ['embedded-entry-inline', leaveOut('an entry within a text is left out')],
  ['embedded-resource-inline', leaveOut('an entry within a text is left out')],
])

function inlinesOf(nodes: readonly RichTextNode[], context: RichTextContext): readonly Inline[] {
  return nodes.flatMap((node) => {
    const convert = INLINES.get(node.nodeType ?? '')
    return convert?.(node, context, 0) ?? inlinesOf(node.content ?? [], context)
  })
}

function textInlines(node: RichTextNode, context: RichTextContext): readonly Inline[] {
  const { value = '' } = node
  return value === '' ? [] : [textNode(value, marksOf(node, context))]
}

function hyperlinkInlines(
  { content = [], data }: RichTextNode,
  context: RichTextContext,
): readonly Inline[] {
  const uri = data?.['uri']
  return linkNode(typeof uri === 'string' ? uri : '', inlinesOf(content, context))
}

function assetInlines(
  { content = [], data }: RichTextNode,
  context: RichTextContext,
): readonly Inline[] {
  const asset = context.asset(linkOf(data?.['target'])?.id ?? '')
  const texts = inlinesOf(content, context)
  if (asset !== null) return [fileLink(asset.documentId, texts)]
  context.note('an asset within a text is not there')
  return texts
}

function entryInlines({ content = [] }: RichTextNode, context: RichTextContext): readonly Inline[] {
  context.note('a link to an entry is its text')
  return inlinesOf(content, context)
}

function marksOf({ marks = [] }: RichTextNode, context: RichTextContext): ReadonlySet<Mark> {
  const names = marks.map(({ type }) => type)
  for (const name of names.filter((each) => !isMark(each))) {
    context.note(`${name} is plain text`)
  }
  return new Set(names.filter(isMark))
}

function isMark(name: string): name is Mark {
  return (MARKS as readonly string[]).includes(name)
}
