import type { Data } from '../../schema/definition.ts'
import { type EntryLink, hideTarget, mapEntryLinks } from '../../schema/values/entry-links.ts'

/** A link in a response. It shows its target once `show` is called. */
export interface PendingLink extends EntryLink {
  /** A null URL is empty. */
  readonly show: (url: string | null) => void
}

const NONE: readonly PendingLink[] = []

/** Replaces the blocks that have links by copies in which the links show no target. */
export function takeLinks(
  blocks: readonly string[],
  shown: Data & Record<string, unknown>,
): readonly PendingLink[] {
  if (blocks.length === 0) return NONE
  const links: PendingLink[] = []
  for (const name of blocks) {
    const value = shown[name]
    if (!Array.isArray(value)) continue
    shown[name] = mapEntryLinks(value as readonly unknown[], (node, link) => {
      const copy = hideTarget(node)
      links.push({ ...link, show: (url) => Object.assign(copy, { url: url ?? '', entry: link }) })
      return copy
    })
  }
  return links.length === 0 ? NONE : links
}
