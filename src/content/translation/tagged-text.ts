import type { Data } from '../../schema/definition.ts'

/**
 * The text of inline nodes with a `<g id="n">` around each marked text and each link. The numbers are those of the
 * formatted nodes of the source, in order, so that a translation can move them.
 */
export type TaggedText = string

interface TagToken {
  readonly kind: 'open' | 'close' | 'text'
  readonly value: string
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const UNESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }
const TOKEN = /<g id="([^"<>]{1,20})">|(<\/g>)|((?:[^<>&]|&(?:amp|lt|gt);)+)/gy

export function escapeText(text: string): TaggedText {
  return text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign)
}

/** Without tags. */
export function plainTextOf(tagged: TaggedText): string {
  return unescapeText(tagged.replace(/<[^<>]*>/g, ''))
}

export function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => UNESCAPED[name] ?? '')
}

/** The text of a source. */
export function tagSource(children: readonly Data[]): TaggedText {
  const formats = formattedNodes(children)
  return tag(children, formats, [...formats]) ?? ''
}

/** The text of a translation with the numbers of its source. Null if it has a format that the source lacks. */
export function tagTarget(children: readonly Data[], source: readonly Data[]): TaggedText | null {
  const formats = formattedNodes(source)
  return tag(children, formats, [...formats])
}

/**
 * Inline nodes with the formats of the source. Null if a tag is not one of the source, is not closed, or holds a tag
 * that it cannot hold.
 */
export function readTagged(tagged: TaggedText, source: readonly Data[]): readonly Data[] | null {
  const tokens = tokensOf(tagged)
  if (tokens === null) return null
  const nodes = readNodes(tokens, formattedNodes(source), null)
  if (nodes === null || tokens.length > 0) return null
  return nodes.length > 0 ? nodes : [textNode('')]
}

/** Takes each format from `unused` first, so that equal formats get different numbers. */
function tag(
  children: readonly Data[],
  formats: readonly Data[],
  unused: Data[],
): TaggedText | null {
  const parts: string[] = []
  for (const node of children) {
    if (!isFormatted(node)) {
      parts.push(escapeText(textOf(node)))
      continue
    }
    const shape = shapeOf(node)
    const isAlike = (one: Data): boolean => shapeOf(one) === shape
    const next = unused.findIndex(isAlike)
    const [format = formats.find(isAlike)] = next < 0 ? [] : unused.splice(next, 1)
    if (format === undefined) return null
    const inner = isLink(node) ? tag(childrenOf(node), formats, unused) : escapeText(textOf(node))
    if (inner === null) return null
    parts.push(`<g id="${formats.indexOf(format) + 1}">${inner}</g>`)
  }
  return parts.join('')
}

/** Links come before the marked texts within them. */
function formattedNodes(children: readonly Data[]): readonly Data[] {
  return children.flatMap((node) => {
    if (!isFormatted(node)) return []
    return isLink(node) ? [node, ...formattedNodes(childrenOf(node))] : [node]
  })
}

function isFormatted(node: Data): boolean {
  return isLink(node) || marksOf(node).length > 0
}

function isLink({ type }: Data): boolean {
  return type === 'link'
}

function childrenOf({ children }: Data): readonly Data[] {
  return Array.isArray(children) ? (children as readonly Data[]) : []
}

function textOf({ text }: Data): string {
  return typeof text === 'string' ? text : ''
}

function marksOf(node: Data): readonly (readonly [string, unknown])[] {
  return Object.entries(node)
    .filter(([name, value]) => name !== 'type' && name !== 'text' && value !== false)
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

function shapeOf(node: Data): string {
  const { children: _children, ...own } = node
  return JSON.stringify([node['type'], marksOf(own)])
}

function textNode(text: string): Data {
  return { type: 'text', text }
}

function tokensOf(tagged: TaggedText): TagToken[] | null {
  const tokens: TagToken[] = []
  let end = 0
  for (const [whole, id, close, text] of tagged.matchAll(TOKEN)) {
    end += whole.length
    if (id !== undefined) tokens.push({ kind: 'open', value: id })
    else if (close !== undefined) tokens.push({ kind: 'close', value: '' })
    else tokens.push({ kind: 'text', value: unescapeText(text ?? '') })
  }
  return end === tagged.length ? tokens : null
}

/** Consumes the tokens up to the end of the node. */
function readNodes(
  tokens: TagToken[],
  formats: readonly Data[],
  within: Data | null,
): readonly Data[] | null {
  const nodes: Data[] = []
  for (;;) {
    const token = tokens.shift()
    if (token === undefined || token.kind === 'close') {
      return (token === undefined) === (within === null) ? nodes : null
    }
    const node =
      token.kind === 'text' ? textNode(token.value) : readFormatted(token, tokens, formats, within)
    if (node === null) return null
    nodes.push(node)
  }
}

/** A link holds marked texts. A marked text holds text only. */
function readFormatted(
  { value }: TagToken,
  tokens: TagToken[],
  formats: readonly Data[],
  within: Data | null,
): Data | null {
  const format = /^\d+$/.test(value) ? formats[Number(value) - 1] : undefined
  const isAllowed = within === null || (isLink(within) && format !== undefined && !isLink(format))
  if (format === undefined || !isAllowed) return null
  const inner = readNodes(tokens, formats, format)
  if (inner === null) return null
  if (!isLink(format)) return { ...format, text: inner.map(textOf).join('') }
  return { ...format, children: inner.length > 0 ? inner : [textNode('')] }
}
