import { isDeepStrictEqual } from 'node:util'
import { BSON, type Document } from 'mongodb'

/** The content of a document's versions at one commit. The `_id` also indexes the history of the document. */
export interface HistoryRow {
  readonly _id: string
  readonly documentId: string
  readonly versions: readonly HistoryVersion[]
}

export interface HistoryVersion {
  /** Index of the item in the commit. */
  readonly item: number
  readonly locale: string
  readonly revision: string | null
  /** The whole version, or its differences from the first one. A draft and its copy are nearly identical. */
  readonly content?: Document
  readonly differs?: Document
}

interface HistoryItem {
  readonly documentId: string
  readonly locale: string
  readonly revision: string | null
  readonly content?: Document
}

/** Sorts after all commit ids, which are hexadecimal. */
export const HISTORY_PREFIX = 'h:'

/** Larger commits store no content, to limit the size of the log. */
const MAX_VERSIONS = 20
const MAX_ROW_BYTES = 1_048_576

export function historyId(documentId: string, commit: string): string {
  return `${HISTORY_PREFIX}${documentId}:${commit}`
}

export function commitOfHistoryId(_id: string): string {
  return _id.slice(_id.lastIndexOf(':') + 1)
}

/** Returns one row per document with content. Returns none if the commit exceeds the limits. */
export function historyRowsOf(
  commit: string,
  items: readonly HistoryItem[],
): readonly HistoryRow[] {
  if (items.length > MAX_VERSIONS) return []
  const versions = new Map<string, HistoryVersion[]>()
  for (const [item, { documentId, locale, revision, content }] of items.entries()) {
    if (content === undefined) continue
    const held = versions.get(documentId) ?? []
    versions.set(documentId, held)
    held.push({ item, locale, revision, ...differenceFromFirst(held[0]?.content, content) })
  }
  const rows = [...versions].map(([documentId, held]): HistoryRow => {
    return { _id: historyId(documentId, commit), documentId, versions: held }
  })
  return rows.length > 0 && BSON.calculateObjectSize({ rows }) <= MAX_ROW_BYTES ? rows : []
}

function differenceFromFirst(
  first: Document | undefined,
  content: Document,
): Pick<HistoryVersion, 'content' | 'differs'> {
  const differs = first === undefined ? null : differencesOf(first, content)
  return differs === null ? { content } : { differs }
}

export function contentIn({ versions }: HistoryRow, item: number): Document | undefined {
  const version = versions.find((one) => one.item === item)
  if (version?.differs === undefined) return version?.content
  return { ...versions[0]?.content, ...version.differs }
}

/** The members with different values. Null if the second document lacks a member of the first. */
function differencesOf(first: Document, second: Document): Document | null {
  if (Object.keys(first).some((name) => !Object.hasOwn(second, name))) return null
  return Object.fromEntries(
    Object.entries(second).filter(([name, value]) => !isSame(first[name], value)),
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && isDeepStrictEqual(one, other))
}
