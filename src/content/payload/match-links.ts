import { groupBy } from '../../base/group-by.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Data } from '../../schema/definition.ts'
import {
  type EntryLink,
  entryLinkOf,
  isEmptyLink,
  mapLinkNodes,
} from '../../schema/values/entry-links.ts'

/** A link, and words that identify it. */
export interface TextLink {
  readonly node: Data
  /** The text of the paragraph, heading, list, quote or code that contains the link. */
  readonly block: string
  readonly text: string
}

export interface StoredLink extends TextLink {
  readonly entry: EntryLink
}

/** The links of a value of blocks without a URL and a target, in order. */
export function emptyLinksIn(nodes: readonly unknown[]): readonly TextLink[] {
  return textLinksIn(nodes).filter(({ node }) => isEmptyLink(node))
}

export function storedLinksIn(nodes: readonly unknown[]): readonly StoredLink[] {
  return textLinksIn(nodes).flatMap((link): readonly StoredLink[] => {
    const entry = entryLinkOf(link.node)
    return entry === null ? [] : [{ ...link, entry }]
  })
}

function textLinksIn(nodes: readonly unknown[]): readonly TextLink[] {
  return nodes.flatMap((node) => {
    const links: Data[] = []
    mapLinkNodes([node], (link) => {
      links.push(link)
      return link
    })
    if (links.length === 0) return []
    const block = textWithin(node)
    return links.map((link) => ({ node: link, block, text: textWithin(link) }))
  })
}

const MAX_DEPTH = 30

function textWithin(node: unknown, depth = MAX_DEPTH): string {
  if (!isRecord(node) || depth === 0) return ''
  const { text, children } = node
  if (typeof text === 'string') return text
  if (!Array.isArray(children)) return ''
  return (children as readonly unknown[]).map((child) => textWithin(child, depth - 1)).join('')
}

interface Level {
  readonly keyOf: (link: TextLink) => string
  /** Whether links with the same key and one target may be fewer than before. */
  readonly mayBeFewer?: boolean
  /** Whether they may be more than before, such as after a paragraph was repeated. */
  readonly mayBeMore?: boolean
}

const LEVELS: readonly Level[] = [
  {
    keyOf: ({ block, text }) => JSON.stringify([block, text]),
    mayBeFewer: true,
    mayBeMore: true,
  },
  { keyOf: ({ text }) => text, mayBeFewer: true },
  { keyOf: () => '' },
]

export type MatchedLinks = ReadonlyMap<Data, EntryLink>

/**
 * Finds the stored targets of sent links: first for links in unchanged blocks, then for links with unchanged words, at
 * last for all others. Links that look the same match only if their number did not change.
 */
export function matchLinks(sent: readonly TextLink[], stored: readonly StoredLink[]): MatchedLinks {
  const found = new Map<Data, EntryLink>()
  const free = new Set(stored)
  for (const level of LEVELS) {
    const open = sent.filter(({ node }) => !found.has(node))
    const candidates = groupBy([...free], level.keyOf)
    for (const [key, links] of groupBy(open, level.keyOf)) {
      const group = candidates.get(key) ?? []
      const [first] = group
      if (first === undefined || !isClear(level, links.length, group)) continue
      for (const [index, { node }] of links.entries()) {
        const match = group[index] ?? first
        found.set(node, match.entry)
        free.delete(match)
      }
    }
  }
  return found
}

function isClear(
  { mayBeFewer = false, mayBeMore = false }: Level,
  count: number,
  group: readonly StoredLink[],
): boolean {
  if (count === group.length) return true
  const targets = new Set(group.map(({ entry }) => `${entry.type} ${entry.documentId}`))
  return targets.size === 1 && (count < group.length ? mayBeFewer : mayBeMore)
}
