import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element

/** What HTML says, without any form. */
export function textOfHtml(html: string): string {
  return textOf(parseFragment(html).childNodes).replace(/\s+/g, ' ').trim()
}

export function textOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if ('tagName' in node) return node.tagName === 'br' ? '\n' : textOf(node.childNodes)
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
