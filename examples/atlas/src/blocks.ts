import type { Block, Blocks, Inline, ListBlock } from '@quire/client'
import { element } from './element.ts'

const MARKS = { bold: 'strong', italic: 'em', code: 'code' } as const

export function blocks(value: Blocks | null): readonly HTMLElement[] {
  return (value ?? []).flatMap((block) => (block.type === 'image' ? [] : [blockOf(block)]))
}

function blockOf(block: Exclude<Block, { readonly type: 'image' }>): HTMLElement {
  switch (block.type) {
    case 'heading':
      return element('h2', {}, ...block.children.map(inline))
    case 'quote':
      return element('blockquote', {}, ...block.children.map(inline))
    case 'code':
      return element('pre', {}, ...block.children.map(inline))
    case 'paragraph':
      return element('p', {}, ...block.children.map(inline))
    case 'list':
      return list(block)
  }
}

function list({ format, children }: ListBlock): HTMLElement {
  const items = children.map((child) =>
    child.type === 'list' ? list(child) : element('li', {}, ...child.children.map(inline)),
  )
  return element(format === 'ordered' ? 'ol' : 'ul', {}, ...items)
}

function inline(node: Inline): Node {
  if (node.type === 'link') {
    const isSafe = /^(https?:|mailto:|\/|#)/.test(node.url)
    return element(
      isSafe ? 'a' : 'span',
      isSafe ? { href: node.url } : {},
      ...node.children.map(inline),
    )
  }
  return Object.entries(MARKS).reduce<Node>(
    (inner, [mark, tag]) =>
      node[mark as keyof typeof MARKS] === true ? element(tag, {}, inner as HTMLElement) : inner,
    document.createTextNode(node.text),
  )
}
