import {
  defaultTreeAdapter,
  type DefaultTreeAdapterTypes,
  parseFragment,
  type TreeAdapter,
} from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element

/** Deeper elements lose their formatting, because tree walks are recursive. */
const MAX_LEVELS = 256

/**
 * Parser time grows with the number of open elements: 19 KB of `<p><font size=1>` create half a
 * million.
 */
const MAX_OPEN = 1_000
const MAX_ELEMENTS = 100_000

class HtmlBoundError extends Error {}

/** Returns the root nodes. Elements below 256 levels become text, and HTML above the limits becomes text as a whole. */
export function parseHtml(html: string): readonly Node[] {
  const { childNodes } = parseBounded(html) ?? parseFragment(escapedText(html))
  let level: readonly Node[] = childNodes
  for (let depth = 1; depth < MAX_LEVELS && level.length > 0; depth += 1) {
    level = level.flatMap((node) => ('tagName' in node ? node.childNodes : []))
  }
  for (const node of level) if ('tagName' in node) node.childNodes = textsOf(node)
  return childNodes
}

function parseBounded(html: string): DefaultTreeAdapterTypes.DocumentFragment | null {
  try {
    return parseFragment(html, {
      treeAdapter: boundedAdapter(),
    })
  } catch (error) {
    if (error instanceof HtmlBoundError) return null
    throw error
  }
}

/** @throws HtmlBoundError for a tree that is too large */
function boundedAdapter(): TreeAdapter<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  let [elements, open] = [0, 0]
  return {
    ...defaultTreeAdapter,
    createElement: (...args) => {
      elements += 1
      if (elements > MAX_ELEMENTS) throw new HtmlBoundError()
      return defaultTreeAdapter.createElement(...args)
    },
    onItemPush: () => {
      open += 1
      if (open > MAX_OPEN) throw new HtmlBoundError()
    },
    onItemPop: () => {
      open -= 1
    },
  }
}

function escapedText(html: string): string {
  return html.replaceAll(/<[^<>]*>/g, '').replaceAll('<', '&lt;')
}

function textsOf(element: Element): Node[] {
  const texts: Node[] = []
  const left: Node[] = element.childNodes.toReversed()
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (!('tagName' in node)) texts.push(node)
    else for (const child of node.childNodes.toReversed()) left.push(child)
  }
  return texts
}

export function textOfHtml(html: string): string {
  return textOfNode(parseHtml(html)).replace(/\s+/g, ' ').trim()
}

export function textOfNode(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if ('tagName' in node) return node.tagName === 'br' ? '\n' : textOfNode(node.childNodes)
      return node.nodeName === '#text' && 'value' in node ? node.value : ''
    })
    .join('')
}

export function descendants({ childNodes }: Element): readonly Element[] {
  return childNodes.flatMap((child) => ('tagName' in child ? [child, ...descendants(child)] : []))
}

export function attributeOf({ attrs }: Element, name: string): string | null {
  return attrs.find((attribute) => attribute.name === name)?.value ?? null
}

export function isAddress(text: string): boolean {
  return /^\s*https?:\/\/\S+\s*$/.test(text)
}
