import { markdownLanguage } from '@codemirror/lang-markdown'

type SyntaxNode = ReturnType<typeof markdownLanguage.parser.parse>['topNode']

export type PreviewTag =
  | `h${1 | 2 | 3 | 4 | 5 | 6}`
  | 'p'
  | 'blockquote'
  | 'ul'
  | 'ol'
  | 'li'
  | 'pre'
  | 'code'
  | 'hr'
  | 'br'
  | 'em'
  | 'strong'
  | 's'
  | 'sub'
  | 'sup'
  | 'a'
  | 'img'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td'

export interface PreviewElement {
  readonly tag: PreviewTag
  /** `href`, `src`, `alt` or `start`. Addresses have a safe scheme. */
  readonly attributes?: Readonly<Record<string, string | number>>
  readonly children: readonly PreviewNode[]
}

/** Strings are text, never HTML. */
export type PreviewNode = string | PreviewElement

/** Deeper Markdown shows as text, so that the recursion is bounded. */
const MAX_DEPTH = 40

/** The parser takes quadratic time for a paragraph of unclosed links. A longer one shows as text. */
const MAX_INLINE = 10_000

interface InlineText {
  readonly offset: number
  readonly end: number
}

/** https://github.com/lezer-parser/markdown#readme, `MarkdownParser.configure` */
interface MarkdownParser {
  configure(options: object): typeof markdownLanguage.parser
}

const parser = (markdownLanguage.parser as unknown as MarkdownParser).configure({
  parseInline: [
    {
      name: 'LongText',
      before: 'Escape',
      parse: ({ offset, end }: InlineText) => (end - offset > MAX_INLINE ? end : -1),
    },
  ],
})

interface Source {
  readonly text: string
  readonly references: ReadonlyMap<string, string>
}

type Translate = (node: SyntaxNode, source: Source, depth: number) => PreviewNode | null

/**
 * Parses Markdown to elements of a fixed set. HTML in the text shows as text, and addresses other
 * than those of pages and mail are dropped.
 */
export function parseMarkdown(text: string): readonly PreviewNode[] {
  const { topNode } = parser.parse(text)
  return blocksOf(topNode, { text, references: referencesOf(topNode, text) }, 0)
}

function referencesOf(top: SyntaxNode, text: string): ReadonlyMap<string, string> {
  const references = new Map<string, string>()
  for (const node of top.getChildren('LinkReference')) {
    const label = node.getChild('LinkLabel')
    const url = node.getChild('URL')
    if (label === null || url === null) continue
    const key = keyOf(text.slice(label.from, label.to))
    if (!references.has(key)) references.set(key, addressIn(text.slice(url.from, url.to)))
  }
  return references
}

function keyOf(label: string): string {
  return label
    .replaceAll(/^\[|\]$/g, '')
    .trim()
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

/** The children of a container of blocks. The text between them is markup. */
function blocksOf(node: SyntaxNode, source: Source, depth: number): readonly PreviewNode[] {
  return childrenOf(node).flatMap((child) => {
    if (isMarkup(child)) return []
    const made = translate(child, source, depth)
    return made === null ? [] : [made]
  })
}

function isMarkup({ name }: SyntaxNode): boolean {
  return /(?:Mark|Delimiter)$/.test(name)
}

/** The texts and elements of a paragraph or another node with inline content. */
function inlinesOf(node: SyntaxNode, source: Source, depth: number): readonly PreviewNode[] {
  return inlinesBetween(childrenOf(node), node.from, node.to, source, depth)
}

function inlinesBetween(
  nodes: readonly SyntaxNode[],
  from: number,
  to: number,
  source: Source,
  depth: number,
): readonly PreviewNode[] {
  const made: PreviewNode[] = []
  const add = (text: string): void => {
    if (text !== '') made.push(text)
  }
  let at = from
  for (const child of nodes) {
    add(source.text.slice(at, child.from))
    at = child.to
    if (isMarkup(child)) continue
    const one = translate(child, source, depth)
    if (one !== null) made.push(one)
  }
  add(source.text.slice(at, to))
  const [first, ...rest] = made
  return typeof first === 'string' ? [first.trimStart(), ...rest] : made
}

function translate(node: SyntaxNode, source: Source, depth: number): PreviewNode | null {
  const text = source.text.slice(node.from, node.to)
  if (depth > MAX_DEPTH) return text
  const known = Object.hasOwn(TRANSLATIONS, node.name) ? TRANSLATIONS[node.name] : undefined
  return known === undefined ? text : known(node, source, depth + 1)
}

function holder(tag: PreviewTag): Translate {
  return (node, source, depth) => ({ tag, children: blocksOf(node, source, depth) })
}

function inline(tag: PreviewTag): Translate {
  return (node, source, depth) => ({ tag, children: inlinesOf(node, source, depth) })
}

const HEADINGS = Object.fromEntries(
  ([1, 2, 3, 4, 5, 6] as const).flatMap((level) => [
    [`ATXHeading${level}`, inline(`h${level}`)],
    [`SetextHeading${level}`, inline(`h${level}`)],
  ]),
)

const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  ...HEADINGS,
  Paragraph: inline('p'),
  Blockquote: holder('blockquote'),
  BulletList: holder('ul'),
  OrderedList: (node, source, depth) => {
    const start = Number.parseInt(source.text.slice(node.from), 10)
    return {
      tag: 'ol',
      ...(start > 1 && { attributes: { start } }),
      children: blocksOf(node, source, depth),
    }
  },
  ListItem: (node, source, depth) => ({ tag: 'li', children: tight(node, source, depth) }),
  Task: (node, source, depth) => {
    const [marker, ...rest] = childrenOf(node)
    const isDone = marker !== undefined && /x/i.test(source.text.slice(marker.from, marker.to))
    const words = inlinesBetween(rest, marker?.to ?? node.from, node.to, source, depth)
    return { tag: 'p', children: [isDone ? '☑ ' : '☐ ', ...words] }
  },
  FencedCode: codeBlock,
  CodeBlock: codeBlock,
  HorizontalRule: () => ({ tag: 'hr', children: [] }),
  HardBreak: () => ({ tag: 'br', children: [] }),
  Emphasis: inline('em'),
  StrongEmphasis: inline('strong'),
  Strikethrough: inline('s'),
  Subscript: inline('sub'),
  Superscript: inline('sup'),
  InlineCode: inline('code'),
  Escape: (node, { text }) => text.slice(node.from + 1, node.to),
  Entity: (node, { text }) => decodeEntity(text.slice(node.from, node.to)),
  Link: (node, source, depth) => {
    const href = targetOf(node, source)
    const children = labelOf(node, source, depth)
    if (href === undefined) return source.text.slice(node.from, node.to)
    return { tag: 'a', ...(href !== '' && { attributes: { href } }), children }
  },
  Autolink: (node, source) => bareLink(source.text.slice(node.from + 1, node.to - 1)),
  URL: (node, source) => bareLink(source.text.slice(node.from, node.to)),
  Image: (node, source, depth) => {
    const src = targetOf(node, source, isSafePicture)
    const alt = labelOf(node, source, depth).map(textOf).join('')
    return src === undefined || src === ''
      ? source.text.slice(node.from, node.to)
      : { tag: 'img', attributes: { src, alt }, children: [] }
  },
  LinkReference: () => null,
  Comment: () => null,
  CommentBlock: () => null,
  HTMLBlock: (node, { text }) => ({ tag: 'p', children: [text.slice(node.from, node.to)] }),
  Table: (node, source, depth) => {
    const rows = (name: string, tag: 'th' | 'td'): readonly PreviewElement[] =>
      node.getChildren(name).map((row) => ({
        tag: 'tr',
        children: row
          .getChildren('TableCell')
          .map((cell) => ({ tag, children: inlinesOf(cell, source, depth) })),
      }))
    return {
      tag: 'table',
      children: [
        { tag: 'thead', children: rows('TableHeader', 'th') },
        { tag: 'tbody', children: rows('TableRow', 'td') },
      ],
    }
  },
}

/** An only paragraph of an item is its text, as in a list without blank lines. */
function tight(node: SyntaxNode, source: Source, depth: number): readonly PreviewNode[] {
  const blocks = blocksOf(node, source, depth)
  const isTight = blocks.filter((one) => typeof one !== 'string' && one.tag === 'p').length === 1
  return blocks.flatMap((one) =>
    isTight && typeof one !== 'string' && one.tag === 'p' ? one.children : [one],
  )
}

function codeBlock(node: SyntaxNode, { text }: Source): PreviewElement {
  const code = node
    .getChildren('CodeText')
    .map(({ from, to }) => text.slice(from, to))
    .join('')
  return { tag: 'pre', children: [{ tag: 'code', children: [code] }] }
}

function bareLink(address: string): PreviewElement {
  const full = address.includes('@') && !address.includes(':') ? `mailto:${address}` : address
  const href = full.startsWith('www.') ? `https://${full}` : full
  return { tag: 'a', ...(isSafeAddress(href) && { attributes: { href } }), children: [address] }
}

/** The label of a link is between its first two marks. */
function labelOf(node: SyntaxNode, source: Source, depth: number): readonly PreviewNode[] {
  const [open, close] = node.getChildren('LinkMark')
  if (open === undefined || close === undefined) return []
  const within = childrenOf(node).filter(({ from, to }) => from >= open.to && to <= close.from)
  return inlinesBetween(within, open.to, close.from, source, depth)
}

/** Undefined for an unknown reference; '' for an address that is not safe. */
function targetOf(
  node: SyntaxNode,
  source: Source,
  isSafe: (address: string) => boolean = isSafeAddress,
): string | undefined {
  const address = addressOf(node, source)
  return address === undefined || isSafe(address) ? address : ''
}

function addressOf(node: SyntaxNode, { text, references }: Source): string | undefined {
  const [open, close] = node.getChildren('LinkMark')
  const label = node.getChild('LinkLabel')
  const named = label === null ? '' : keyOf(text.slice(label.from, label.to))
  if (named !== '') return references.get(named)
  const isReference = label !== null || close?.to === node.to
  if (isReference) return references.get(keyOf(text.slice(open?.to, close?.from)))
  const url = node.getChild('URL')
  return url === null ? '' : addressIn(text.slice(url.from, url.to))
}

function addressIn(written: string): string {
  const bare = written.startsWith('<') ? written.slice(1, -1) : written
  return bare.replaceAll(/&(?:#\w+|\w+);/g, decodeEntity).replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
}

function schemeOf(address: string): string | null {
  // Browsers ignore control characters and spaces before and inside a scheme.
  const plain = address.replaceAll(/[^!-\u{10FFFF}]/gu, '')
  return /^([a-z][a-z\d+.-]*):/i.exec(plain)?.[1]?.toLowerCase() ?? null
}

function isSafeAddress(address: string): boolean {
  return [null, 'http', 'https', 'mailto', 'tel'].includes(schemeOf(address))
}

function isSafePicture(address: string): boolean {
  return [null, 'http', 'https'].includes(schemeOf(address))
}

function textOf(node: PreviewNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('')
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  reg: '®',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
}

const MAX_CODE_POINT = 0x10_ff_ff

/** An unknown name stays as it is written. */
function decodeEntity(entity: string): string {
  const name = entity.slice(1, -1)
  const [, hex, decimal] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  if (code > 0 && code <= MAX_CODE_POINT) return String.fromCodePoint(code)
  return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? entity) : entity
}
