import {
  defaultTreeAdapter,
  type DefaultTreeAdapterTypes,
  parseFragment,
  type TreeAdapter,
} from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element

/** Below this nothing has a form: what walks a tree calls itself for each level. */
const MAX_LEVELS = 256

/**
 * Bounds of a piece of HTML that has a form. The time of a parser grows with the elements that are open at once, and some
 * are opened anew in every paragraph: 19 KB of `<p><font size=1>` are half a million elements.
 */
const MAX_OPEN = 1_000
const MAX_ELEMENTS = 100_000

class HtmlBoundError extends Error {}

/**
 * What stands at the root of a piece of HTML. Elements below 256 levels are the text that they hold, and HTML beyond the
 * bounds is as a whole.
 */
export function parseHtml(html: string): readonly Node[] {
  const { childNodes } = parseBounded(html) ?? parseFragment(escapedText(html))
  let level: readonly Node[] = childNodes
  for (let depth = 1; depth < MAX_LEVELS && level.length > 0; depth += 1) {
    level = level.flatMap((node) => ('tagName' in node ? node.childNodes : []))
  }
  for (const node of level) if ('tagName' in node) node.childNodes = textsOf(node)
  return childNodes
}

/** Null beyond the bounds. */
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

/** @throws HtmlBoundError while it builds a tree that is too large. */
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

/** Without its tags; what is left of `<` begins none. */
function escapedText(html: string): string {
  return html.replaceAll(/<[^<>]*>/g, '').replaceAll('<', '&lt;')
}

/** All of its texts, however deep they stand. */
function textsOf(element: Element): Node[] {
  const texts: Node[] = []
  const left: Node[] = element.childNodes.toReversed()
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (!('tagName' in node)) texts.push(node)
    else for (const child of node.childNodes.toReversed()) left.push(child)
  }
  return texts
}

/** What HTML says, without any form. */
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
