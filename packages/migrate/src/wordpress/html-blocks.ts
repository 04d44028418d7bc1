import type { Data } from '../data.ts'
import {
  code,
  heading,
  image,
  type Inline,
  fileLink,
  linkNode,
  list,
  listItem,
  type Mark,
  paragraph,
  plainText,
  quote,
  table,
  type TableCell,
  textNode,
} from '../blocks.ts'
import {
  attributeOf,
  descendants,
  type Element,
  isAddress,
  type Node,
  parseHtml,
  textOfNode,
} from './html-tree.ts'
import { hasBlocks, shortcodesIn, withoutShortcodes } from './prepare-html.ts'
import { CONTAINERS, DROPPED, EMBEDS, MARK_OF, PASSED, SILENT_BLOCKS } from './html-elements.ts'

export interface HtmlContext {
  readonly image: (id: string | null, url: string) => string | null
  readonly file: (url: string) => string | null
  readonly note: (sentence: string) => void
  readonly tables: boolean
}

type Part =
  | { readonly kind: 'inline'; readonly node: Inline }
  | { readonly kind: 'block'; readonly block: Data }
  | { readonly kind: 'break' }

interface Around {
  readonly context: HtmlContext
  readonly marks: ReadonlySet<Mark>
  /** In classic content, empty lines separate paragraphs. */
  readonly isClassic: boolean
  readonly depth: number
}

const BREAK: Part = { kind: 'break' }

export function htmlBlocks(html: string, context: HtmlContext): readonly Data[] {
  const around = { context, marks: new Set<Mark>(), isClassic: !hasBlocks(html), depth: 0 }
  const childNodes = parseHtml(withoutShortcodes(html))
  return blocksOf(partsOf(childNodes, around))
}

function blocksOf(parts: readonly Part[]): readonly Data[] {
  const blocks: Data[] = []
  let line: Inline[] = []
  const end = (): void => {
    const inlines = trimmed(line)
    if (inlines.length > 0) blocks.push(paragraph(inlines))
    line = []
  }
  for (const part of parts) {
    if (part.kind === 'inline') line.push(part.node)
    else end()
    if (part.kind === 'block') blocks.push(part.block)
  }
  end()
  return blocks
}

function partsOf(nodes: readonly Node[], around: Around): readonly Part[] {
  return nodes.flatMap((node): readonly Part[] => {
    if ('tagName' in node) return elementParts(node, around)
    if (node.nodeName === '#text' && 'value' in node) return textParts(node.value, around)
    if (node.nodeName === '#comment' && 'data' in node) noteBlock(node.data, around.context)
    return []
  })
}

function textParts(text: string, { context, marks, isClassic }: Around): readonly Part[] {
  for (const name of shortcodesIn(text)) context.note(`the shortcode [${name}] is a text`)
  const paragraphs = isClassic ? text.replaceAll('\r\n', '\n').split(/\n[ \t]*\n\s*/) : [text]
  return paragraphs.flatMap((one, index): readonly Part[] => {
    const said = isClassic
      ? one.replace(/[ \t]+/g, ' ').replace(/ ?\n ?/g, '\n')
      : one.replace(/\s+/g, ' ')
    const parts: Part[] = said === '' ? [] : [{ kind: 'inline', node: textNode(said, marks) }]
    return index === 0 ? parts : [BREAK, ...parts]
  })
}

/** Dynamic blocks contain no HTML, because the site renders them. */
function noteBlock(comment: string, { note }: HtmlContext): void {
  const name = /^\s*wp:([\w/-]+).*\/\s*$/s.exec(comment)?.[1]
  if (name !== undefined && !SILENT_BLOCKS.has(name)) note(`the block ${name} is left out`)
}

type Convert = (element: Element, around: Around) => readonly Part[]

const CONVERT: ReadonlyMap<string, Convert> = new Map([
  ...[...MARK_OF].map(([name, mark]) => [name, marked(mark)] as const),
  ...forEach(CONTAINERS, ({ childNodes }, around) => [
    BREAK,
    ...partsOf(childNodes, around),
    BREAK,
  ]),
  ...forEach(PASSED, ({ childNodes }, around) => partsOf(childNodes, around)),
  ...forEach(DROPPED, ({ tagName }, { context }) => {
    context.note(`<${tagName}> is left out`)
    return []
  }),
  ...forEach(EMBEDS, embedParts),
  ...forEach('h1 h2 h3 h4 h5 h6', (element, around) =>
    lineParts(element, around, (line) => heading(Number(element.tagName[1]), line)),
  ),
  ...forEach('br', () => [{ kind: 'inline', node: textNode('\n') }]),
  ...forEach('a', linkParts),
  ...forEach('img', (element, around) => imageParts(element, null, around)),
  ...forEach('figure', figureParts),
  ...forEach('ul ol', listParts),
  ...forEach('blockquote', (element, around) => lineParts(element, around, quote)),
  ...forEach('pre', ({ childNodes }) => [
    { kind: 'block', block: code(textOfNode(childNodes).replace(/\n$/, '')) },
  ]),
  ...forEach('table', tableParts),
  ...forEach('hr', (_element, { context }) => {
    context.note('a horizontal rule is left out')
    return [BREAK]
  }),
])

function forEach(names: string, convert: Convert): readonly (readonly [string, Convert])[] {
  return names.split(' ').map((name) => [name, convert])
}

function marked(mark: Mark): Convert {
  return ({ childNodes }, around) =>
    partsOf(childNodes, { ...around, marks: new Set([...around.marks, mark]) })
}

function elementParts(element: Element, around: Around): readonly Part[] {
  const { tagName, childNodes } = element
  const convert = CONVERT.get(tagName)
  if (convert !== undefined) return convert(element, around)
  around.context.note(`<${tagName}> is what it says`)
  return partsOf(childNodes, around)
}

/** Puts all inner text into one block. Images and other blocks follow. */
function lineParts(
  { childNodes }: Element,
  around: Around,
  make: (line: readonly Inline[]) => Data,
): readonly Part[] {
  const { line, blocks } = asLine(partsOf(childNodes, around))
  const own: readonly Part[] = line.length === 0 ? [] : [{ kind: 'block', block: make(line) }]
  return [...own, ...blocks]
}

function asLine(parts: readonly Part[]): {
  readonly line: readonly Inline[]
  readonly blocks: readonly Part[]
} {
  const lines: Inline[][] = [[]]
  for (const part of parts) {
    if (part.kind === 'inline') lines.at(-1)?.push(part.node)
    else if (part.kind === 'break') lines.push([])
  }
  const said = lines.map(trimmed).filter((each) => each.length > 0)
  const line = said.flatMap((each, index) => (index === 0 ? each : [textNode('\n'), ...each]))
  return { line, blocks: parts.filter(({ kind }) => kind === 'block') }
}

function linkParts(element: Element, around: Around): readonly Part[] {
  const parts = partsOf(element.childNodes, around)
  const url = attributeOf(element, 'href')
  const inlines = parts.flatMap((part) => (part.kind === 'inline' ? [part.node] : []))
  const others = parts.filter(({ kind }) => kind === 'block')
  if (inlines.every((node) => plainText([node]).trim() === '')) {
    if (others.length > 0 && url !== null && around.context.file(url) === null) {
      around.context.note('a link around an image is left out')
    }
    return [...parts]
  }
  const file = url === null ? null : around.context.file(url)
  const linked = file === null ? linkNode(url ?? '', inlines) : [fileLink(file, inlines)]
  return [...linked.map((node): Part => ({ kind: 'inline', node })), ...others]
}

function imageParts(element: Element, caption: string | null, around: Around): readonly Part[] {
  const url = attributeOf(element, 'src') ?? ''
  const id = /\bwp-image-(\d+)\b/.exec(attributeOf(element, 'class') ?? '')?.[1] ?? null
  const documentId = around.context.image(id, url)
  if (documentId !== null) return [{ kind: 'block', block: image(documentId, caption) }]
  around.context.note('an image that is none of the files of the site is a link')
  const said = attributeOf(element, 'alt') ?? ''
  const nodes = linkNode(url, said === '' ? [] : [textNode(said)])
  return [BREAK, ...nodes.map((node): Part => ({ kind: 'inline', node })), BREAK]
}

/** A caption belongs to the only image, or becomes a separate line. */
function figureParts(element: Element, around: Around): readonly Part[] {
  const within = descendants(element)
  const images = within.filter(({ tagName }) => tagName === 'img')
  const captions = within.filter(({ tagName }) => tagName === 'figcaption')
  const [only] = images
  const [said] = captions
  if (only === undefined || said === undefined || images.length > 1 || captions.length > 1) {
    const isEmbed = images.length === 0 && isAddress(textOfNode(element.childNodes))
    const parts = isEmbed ? addressParts(element, around) : partsOf(element.childNodes, around)
    return [BREAK, ...parts, BREAK]
  }
  const caption = textOfNode(said.childNodes).replace(/\s+/g, ' ').trim()
  return imageParts(only, caption === '' ? null : caption, around)
}

function addressParts({ childNodes }: Element, { context }: Around): readonly Part[] {
  context.note('what is embedded is a link')
  return linkNode(textOfNode(childNodes), []).map((node) => ({ kind: 'inline', node }))
}

function embedParts(element: Element, around: Around): readonly Part[] {
  const source = descendants(element).find(({ tagName }) => tagName === 'source')
  const url =
    attributeOf(element, 'src') ??
    attributeOf(element, 'data') ??
    (source === undefined ? null : attributeOf(source, 'src'))
  if (url === null) {
    around.context.note(`<${element.tagName}> is left out`)
    return []
  }
  around.context.note('what is embedded is a link')
  const file = around.context.file(url)
  const nodes = file === null ? linkNode(url, []) : [fileLink(file, [textNode(url)])]
  return [BREAK, ...nodes.map((node): Part => ({ kind: 'inline', node })), BREAK]
}

/** List items only contain text. Nested lists follow their item, and images follow the list. */
function listParts({ tagName, childNodes }: Element, around: Around): readonly Part[] {
  const after: Part[] = []
  const children = childNodes.flatMap((child): readonly Data[] => {
    if (!('tagName' in child)) return []
    const isItem = child.tagName === 'li'
    const inner = { ...around, depth: around.depth + 1 }
    const parts = isItem ? partsOf(child.childNodes, inner) : elementParts(child, inner)
    const { line, blocks } = asLine(parts)
    const lists = blocks.flatMap((part) =>
      part.kind === 'block' && part.block['type'] === 'list' ? [part.block] : [],
    )
    after.push(...blocks.filter((part) => part.kind === 'block' && part.block['type'] !== 'list'))
    return line.length > 0 || lists.length === 0 ? [listItem(line), ...lists] : lists
  })
  if (after.length > 0) {
    around.context.note('what an item of a list holds beside text follows the list')
  }
  if (children.length === 0) return after
  return [{ kind: 'block', block: list(tagName === 'ol', children, around.depth) }, ...after]
}

function tableParts(element: Element, around: Around): readonly Part[] {
  const rows = descendants(element).filter(({ tagName }) => tagName === 'tr')
  const read = rows.map((row) => {
    const cells = row.childNodes.filter((cell): cell is Element => 'tagName' in cell)
    return cells.map((cell) => ({ cell, ...asLine(partsOf(cell.childNodes, around)) }))
  })
  const isNested = descendants(element).some(({ tagName }) => tagName === 'table')
  const cells = read.map((row) => row.map(({ cell, line }) => toCell(cell, line)))
  const made = around.context.tables && !isNested ? table(cells) : null
  if (made !== null) {
    return [{ kind: 'block', block: made }, ...read.flat().flatMap(({ blocks }) => blocks)]
  }
  around.context.note('a table is a paragraph for each row')
  return read.flatMap((row): readonly Part[] => {
    const line = row.flatMap((cell, index) =>
      index === 0 ? cell.line : [textNode(' | '), ...cell.line],
    )
    return [{ kind: 'block', block: paragraph(line) }, ...row.flatMap(({ blocks }) => blocks)]
  })
}

function toCell(cell: Element, children: readonly Inline[]): TableCell {
  const span = (name: string): number => Math.max(1, Number(attributeOf(cell, name)) || 1)
  const isHeader = cell.tagName === 'th'
  return { isHeader, children, width: span('colspan'), height: span('rowspan') }
}

function trimmed(line: readonly Inline[]): readonly Inline[] {
  const trim = (node: Inline, pattern: RegExp): Inline =>
    node['type'] === 'text' ? { ...node, text: String(node['text']).replace(pattern, '') } : node
  const isEmpty = (node: Inline | undefined): boolean =>
    node !== undefined && node['type'] === 'text' && node['text'] === ''
  const nodes = [...line]
  for (let node = nodes[0]; node !== undefined; node = nodes[0]) {
    nodes[0] = trim(node, /^\s+/)
    if (!isEmpty(nodes[0])) break
    nodes.shift()
  }
  for (let node = nodes.at(-1); node !== undefined; node = nodes.at(-1)) {
    nodes[nodes.length - 1] = trim(node, /\s+$/)
    if (!isEmpty(nodes.at(-1))) break
    nodes.pop()
  }
  return nodes.filter((node) => !isEmpty(node))
}
