import type { BlockNode } from './block-text.ts'

/** The target of a link in blocks. */
export interface EntryTarget {
  readonly type: string
  readonly documentId: string
}

export function entryTargetOf(value: unknown): EntryTarget | null {
  if (typeof value !== 'object' || value === null) return null
  const { type, documentId } = value as Readonly<Record<string, unknown>>
  return typeof type === 'string' && typeof documentId === 'string' ? { type, documentId } : null
}

/** The server fills the URLs of links to entries, so they are no part of the value. */
export function withoutTargetUrls(blocks: unknown): unknown {
  if (!Array.isArray(blocks)) return blocks
  return (blocks as readonly BlockNode[]).map((node) => {
    if (node.type === 'link' && entryTargetOf(node['entry']) !== null) return { ...node, url: '' }
    return node.children === undefined
      ? node
      : { ...node, children: withoutTargetUrls(node.children) }
  })
}
