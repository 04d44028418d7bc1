import { isDeepStrictEqual } from 'node:util'
import { BSON, type Document } from 'mongodb'

/**
 * What versions of one document were at one commit. It stands beside the row of that commit in the same collection, and is
 * written by the same command: a row that holds no content is cheap to number and to look through, and the `_id`, which
 * begins with the document, lists its history without an index of its own.
 */
export interface KeptRow {
  /** `keptId`. */
  readonly _id: string
  readonly documentId: string
  readonly versions: readonly KeptVersion[]
}

export interface KeptVersion {
  /** Which item of the commit. */
  readonly item: number
  readonly locale: string
  readonly revision: string | null
  /** The whole version, or what differs from the first one of the row: a draft and its copy hold nearly the same. */
  readonly content?: Document
  readonly differs?: Document
}

/** Of an item of a commit, what is kept. */
interface Kept {
  readonly documentId: string
  readonly locale: string
  readonly revision: string | null
  readonly content?: Document
}

/** Behind all ids of commits, which are hexadecimal digits. */
export const KEPT = 'h:'

/** A commit of more, or larger ones, keeps no content: the log stays smaller than what it is about. */
const MOST_VERSIONS = 20
const MOST_BYTES = 1_048_576

export function keptId(documentId: string, commit: string): string {
  return `${KEPT}${documentId}:${commit}`
}

export function commitOfKept(_id: string): string {
  return _id.slice(_id.lastIndexOf(':') + 1)
}

/** One row for each document of which items have content; none where they are too many or too large. */
export function keptRowsOf(commit: string, items: readonly Kept[]): readonly KeptRow[] {
  if (items.length > MOST_VERSIONS) return []
  const versions = new Map<string, KeptVersion[]>()
  for (const [item, { documentId, locale, revision, content }] of items.entries()) {
    if (content === undefined) continue
    const held = versions.get(documentId) ?? []
    versions.set(documentId, held)
    held.push({ item, locale, revision, ...besides(held[0]?.content, content) })
  }
  const rows = [...versions].map(([documentId, held]): KeptRow => {
    return { _id: keptId(documentId, commit), documentId, versions: held }
  })
  return rows.length > 0 && BSON.calculateObjectSize({ rows }) <= MOST_BYTES ? rows : []
}

/** Content in full, or what it differs in from that of the first version. */
function besides(
  first: Document | undefined,
  content: Document,
): Pick<KeptVersion, 'content' | 'differs'> {
  const differs = first === undefined ? null : differencesOf(first, content)
  return differs === null ? { content } : { differs }
}

/** What a version was; undefined where the row holds none for the item. */
export function contentIn({ versions }: KeptRow, item: number): Document | undefined {
  const version = versions.find((one) => one.item === item)
  if (version?.differs === undefined) return version?.content
  return { ...versions[0]?.content, ...version.differs }
}

/** Members whose values are others; null where the second lacks one. */
function differencesOf(first: Document, second: Document): Document | null {
  if (Object.keys(first).some((name) => !Object.hasOwn(second, name))) return null
  return Object.fromEntries(
    Object.entries(second).filter(([name, value]) => !isSame(first[name], value)),
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && isDeepStrictEqual(one, other))
}
