import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import type { CommitItem, Database } from '../../mongo/connection/database.ts'
import { COMMENT_TYPE } from '../../content/comments/comments.ts'
import { REVIEW_TYPE } from '../../content/review/review.ts'
import { followLog, readLogStep } from '../follow-log.ts'

export interface ChangedEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale: string
}

/** A commit wrote the entry in its locale, or its comments and its review. */
export interface EntryChange {
  readonly kind: 'entry' | 'discussion'
  /** Null for deletions, discussions, types without revisions and unknown changes. */
  readonly revision: string | null
  /** Of a comment: the stored name of its attribute, or null. Absent otherwise. */
  readonly attribute?: string | null
  /** The id of the request that changed the discussion. Absent or null if unknown. */
  readonly requestId?: string | null
}

export interface EntryChanges {
  /** Reports commits of all processes, in order. Returns a function that ends the reports. */
  watch(entry: ChangedEntry, onChange: (change: EntryChange) => void): () => void
  close(): Promise<void>
}

export interface EntryChangesOptions {
  readonly database: Database
  readonly commitLog: Pick<CommitLog, 'head' | 'onHead'>
  readonly onBackgroundError: (error: unknown) => void
}

type Listener = (change: EntryChange) => void

const LIMITS = { commits: 256, items: 4_096 }
const PROJECTION = {
  seq: 1,
  requestId: 1,
  'items.type': 1,
  'items.documentId': 1,
  'items.locale': 1,
  'items.revision': 1,
  'items.entryType': 1,
  'items.attribute': 1,
  'items.lost': 1,
} as const
const DISCUSSIONS: ReadonlySet<string> = new Set([COMMENT_TYPE, REVIEW_TYPE])
const UNKNOWN: readonly EntryChange[] = [
  { kind: 'entry', revision: null },
  { kind: 'discussion', revision: null },
]

/** Follows the commit log, and reads it only while entries are watched. */
export function openEntryChanges({
  database,
  commitLog,
  onBackgroundError: onError,
}: EntryChangesOptions): EntryChanges {
  const audience = new Audience()
  let at: Pick<Head, 'log' | 'seq'> = commitLog.head()
  const step = async (head: Head): Promise<boolean> => {
    const isReplaced = head.log !== at.log
    if (isReplaced && !audience.isEmpty()) audience.tellAll(UNKNOWN)
    if (isReplaced || audience.isEmpty()) at = head
    if (head.seq <= at.seq) return false
    const range = { after: at.seq, to: head.seq }
    const { commits, reached, missed } = await readLogStep(database, range, LIMITS, PROJECTION)
    if (missed !== null) audience.tellAll(UNKNOWN)
    for (const { items, requestId } of commits) {
      for (const item of items) audience.tell(item, requestId)
    }
    at = { log: head.log, seq: reached }
    return reached < head.seq
  }
  const follower = followLog({ commitLog, step, onError })
  return {
    watch: (entry, onChange) => audience.add(entry, onChange),
    close: () => follower.close(),
  }
}

class Audience {
  /** By the key of the entry. The values are the content-types of the entries. */
  readonly #listeners = new Map<string, Map<Listener, string>>()

  isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  add({ uid, documentId, locale }: ChangedEntry, listener: Listener): () => void {
    const key = keyOf({ documentId, locale })
    const own = this.#listeners.get(key) ?? new Map<Listener, string>()
    this.#listeners.set(key, own.set(listener, uid))
    return () => {
      own.delete(listener)
      if (own.size === 0 && this.#listeners.get(key) === own) this.#listeners.delete(key)
    }
  }

  tellAll(changes: readonly EntryChange[], type?: string): void {
    const all = [...this.#listeners.values()].flatMap((own) => [...own])
    for (const [listener, uid] of all) {
      if (type !== undefined && type !== uid) continue
      for (const change of changes) listener(change)
    }
  }

  tell(item: CommitItem, requestId: string | null): void {
    const { type, entryType = type, revision, attribute, lost } = item
    if (lost === true) return this.tellAll(UNKNOWN, type)
    const isDiscussion = DISCUSSIONS.has(type)
    const change: EntryChange = isDiscussion
      ? {
          kind: 'discussion',
          revision: null,
          requestId,
          ...(attribute !== undefined && { attribute }),
        }
      : { kind: 'entry', revision }
    for (const [listener, uid] of this.#listeners.get(keyOf(item)) ?? []) {
      if (uid === entryType) listener(change)
    }
  }
}

function keyOf({ documentId, locale }: Pick<CommitItem, 'documentId' | 'locale'>): string {
  return `${documentId} ${locale}`
}
