import { createHash } from 'node:crypto'
import { groupBy } from '../../base/group-by.ts'
import { isRecord } from '../../base/is-record.ts'
import { linkKey } from '../../mongo/versions/link-index.ts'
import type { Data } from '../../schema/definition.ts'
import { type EntryLink, entryLinkOf, isEmptyLink } from '../../schema/values/entry-links.ts'

/** Digests of the words around a link. */
interface Context {
  /** The paragraph, heading, list, table, quote or code. */
  readonly block: string
  /** The cells of the row in any order. The list item or the block outside tables. */
  readonly row: string
  readonly cells: readonly string[]
  /** The cell in the first row of the table. Empty outside tables. */
  readonly column: string
}

/** A link, and words that identify it. */
export interface TextLink extends Context {
  readonly node: Data
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
    const block = digestOf(node)
    return linksWithin(node, { block, row: block, cells: [block], column: '' }, [])
  })
}

const MAX_DEPTH = 30

/** @param columns the digests of the first row of the table */
function linksWithin(
  node: unknown,
  outer: Context,
  columns: readonly string[],
  depth = MAX_DEPTH,
): readonly TextLink[] {
  if (!isRecord(node) || depth === 0) return []
  const { type } = node
  if (type === 'link') return [{ node, text: textWithin(node), ...outer }]
  const children = childrenOf(node)
  const inner = type === 'table' ? childrenOf(children[0]).map(digestOf) : columns
  const context = contextIn(node, outer)
  return children.flatMap((child, index) => {
    const at = type === 'table-row' ? { ...context, column: inner[index] ?? '' } : context
    return linksWithin(child, at, inner, depth - 1)
  })
}

function contextIn(node: Data, outer: Context): Context {
  const { type } = node
  if (type !== 'table-row' && type !== 'list-item') return outer
  const cells = type === 'table-row' ? childrenOf(node).map(digestOf) : [digestOf(node)]
  return { ...outer, cells, row: digestText(cells.toSorted().join()) }
}

function childrenOf(node: unknown): readonly unknown[] {
  return isRecord(node) && Array.isArray(node['children']) ? node['children'] : []
}

const PARTED: ReadonlySet<unknown> = new Set(['table', 'table-row', 'list'])

function textWithin(node: unknown, depth = MAX_DEPTH): string {
  if (!isRecord(node) || depth === 0) return ''
  const { type, text } = node
  if (typeof text === 'string') return text
  const parts = childrenOf(node).map((child) => textWithin(child, depth - 1))
  return parts.join(PARTED.has(type) ? '\n' : '')
}

function digestOf(node: unknown): string {
  return digestText(textWithin(node))
}

/** Keeps keys short, because each link of a long text has several. */
function digestText(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

interface Level {
  readonly keyOf: (link: TextLink) => string
  /** Whether links with the same key and one target may be fewer than before. */
  readonly mayBeFewer?: boolean
  /** Whether they may be more than before, such as after a paragraph was repeated. */
  readonly mayBeMore?: boolean
}

const LEVELS: readonly Level[] = [
  { keyOf: ({ block, text }) => [block, text].join(), mayBeFewer: true, mayBeMore: true },
  { keyOf: ({ row, column, text }) => [row, column, text].join(), mayBeFewer: true },
  { keyOf: ({ row, text }) => [row, text].join(), mayBeFewer: true },
  { keyOf: ({ cells: [name], column, text }) => [name, column, text].join(), mayBeFewer: true },
  { keyOf: ({ column, text }) => [column, text].join(), mayBeFewer: true },
  { keyOf: ({ text }) => text, mayBeFewer: true },
  { keyOf: () => '' },
]

export type MatchedLinks = ReadonlyMap<Data, EntryLink>

/**
 * Finds the stored targets of sent links: first for links in unchanged blocks, then in unchanged rows or list items, then
 * in rows with an unchanged first cell, then for links with unchanged words, at last for all others. Links that look the
 * same match only if their number did not change and their context does not contradict their order.
 */
export function matchLinks(sent: readonly TextLink[], stored: readonly StoredLink[]): MatchedLinks {
  const found = new Map<Data, EntryLink>()
  const anchors = new Map<StoredLink, TextLink>()
  const places = new Map([...sent, ...stored].map((link, place) => [link, place]))
  for (const level of LEVELS) {
    const open = sent.filter(({ node }) => !found.has(node))
    const free = stored.filter((link) => !anchors.has(link))
    const candidates = groupBy(free, level.keyOf)
    // Links with one target come first, because the order of the others is compared with them.
    const groups = [...groupBy(open, level.keyOf)]
      .map(([key, links]) => ({ links, group: candidates.get(key) ?? [] }))
      .map((pair) => ({ ...pair, targets: countTargets(pair.group) }))
      .sort((one, other) => one.targets - other.targets)
    for (const { links, group, targets } of groups) {
      const [first] = group
      if (first === undefined || !isClear(level, links.length, group, targets)) continue
      if (targets > 1 && isMoved(links, group, anchors, places)) continue
      for (const [index, link] of links.entries()) {
        const match = group[index] ?? first
        found.set(link.node, match.entry)
        anchors.set(match, anchors.get(match) ?? link)
      }
    }
  }
  return found
}

function countTargets(group: readonly StoredLink[]): number {
  return new Set(group.map(({ entry }) => linkKey(entry.type, entry.documentId))).size
}

/** Whether the context of links that look the same shows that they or links among them were moved. */
function isMoved(
  links: readonly TextLink[],
  group: readonly StoredLink[],
  anchors: ReadonlyMap<StoredLink, TextLink>,
  places: ReadonlyMap<TextLink, number>,
): boolean {
  const gapOf = (among: readonly TextLink[], link: TextLink): number => {
    const place = places.get(link) ?? 0
    return among.filter((one) => (places.get(one) ?? 0) < place).length % among.length
  }
  if ([...anchors].some(([match, link]) => gapOf(links, link) !== gapOf(group, match))) return true
  const known = new Set(group.flatMap(cluesOf))
  return links.some((link, index) => {
    const own = new Set(group.slice(index, index + 1).flatMap(cluesOf))
    return cluesOf(link).some((clue) => known.has(clue) && !own.has(clue))
  })
}

function cluesOf({ cells, column }: TextLink): readonly string[] {
  return [...cells, `column ${column}`]
}

function isClear(
  { mayBeFewer = false, mayBeMore = false }: Level,
  count: number,
  { length }: readonly StoredLink[],
  targets: number,
): boolean {
  return count === length || (targets === 1 && (count < length ? mayBeFewer : mayBeMore))
}
