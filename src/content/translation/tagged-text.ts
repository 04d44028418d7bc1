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
  return tag(children, indexesBy(formattedNodes(children))) ?? ''
}

/** The text of a translation with the numbers of the formats. Null if it has another format. */
export function tagTarget(children: readonly Data[], formats: readonly Data[]): TaggedText | null {
  return tag(children, indexesBy(formats))
}

/**
 * The formats of a source in the order of their numbers. Formats of the same kind that a translation has replace them,
 * because its links can lead to other pages than those of the source.
 */
export function formatsFor(source: readonly Data[], target: readonly Data[]): readonly Data[] {
  const formats = [...formattedNodes(source)]
  const free = new Set(formats.keys())
  let rest = formattedNodes(target)
  for (const of of [shapeOf, kindOf]) {
    const places = indexesBy(formats, of, free)
    rest = rest.filter((node) => {
      const place = places.get(of(node))?.shift()
      if (place === undefined) return true
      free.delete(place)
      formats[place] = node
      return false
    })
  }
  return formats
}

/**
 * Inline nodes with the formats. Null if a tag has none of their numbers, is not closed, or holds a tag that it cannot
 * hold.
 */
export function readTagged(tagged: TaggedText, formats: readonly Data[]): readonly Data[] | null {
  const tokens = tokensOf(tagged)
  if (tokens === null) return null
  const nodes = readNodes(tokens, formats, null)
  if (nodes === null || tokens.length > 0) return null
  return nodes.length > 0 ? nodes : [textNode('')]
}

/** Equal formats get different numbers as long as there are some. */
function tag(children: readonly Data[], indexes: Map<string, number[]>): TaggedText | null {
  const parts: string[] = []
  for (const node of children) {
    if (!isFormatted(node)) {
      parts.push(escapeText(textOf(node)))
      continue
    }
    const alike = indexes.get(shapeOf(node)) ?? []
    const index = alike.length > 1 ? alike.shift() : alike[0]
    if (index === undefined) return null
    const inner = isLink(node) ? tag(childrenOf(node), indexes) : escapeText(textOf(node))
    if (inner === null) return null
    parts.push(`<g id="${index + 1}">${inner}</g>`)
  }
  return parts.join('')
}

function indexesBy(
  formats: readonly Data[],
  of: (format: Data) => string = shapeOf,
  within: Iterable<number> = formats.keys(),
): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const index of within) {
    const key = of(formats[index] ?? {})
    const alike = found.get(key)
    if (alike === undefined) found.set(key, [index])
    else alike.push(index)
  }
  return found
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

/** Without the page of a link. */
function kindOf(node: Data): string {
  return isLink(node) ? 'link' : shapeOf(node)
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
