import type { PossibleVersions } from './possible-versions.ts'

/** A document with a single writer. It has one possible revision if its last write was answered. */
export interface NoteRow {
  readonly key: string
  documentId: string | null
  readonly versions: PossibleVersions
}

/** A counter that all writers increment with conditional writes. */
export interface CounterRow {
  readonly documentId: string
  acknowledged: number
  /** Increments with an unknown outcome. */
  unknown: number
}

export interface MemberRow {
  readonly key: string
  documentId: string | null
  exists: 'yes' | 'no' | 'unknown'
  readonly isMember: Map<string, 'yes' | 'no' | 'unknown'>
}

export interface FileRow {
  readonly id: number
  readonly url: string
  readonly content: string
  exists: 'yes' | 'no' | 'unknown'
}

/** The acknowledged writes, and those with an unknown outcome. */
export interface Ledger {
  readonly notes: NoteRow[]
  /**
   * The most recent notes with an acknowledged deletion, by key. Cached responses may still contain
   * them.
   */
  readonly removed: Map<string, NoteRow>
  readonly folders: readonly string[]
  readonly counters: readonly CounterRow[]
  readonly groups: readonly string[]
  readonly members: MemberRow[]
  readonly files: FileRow[]
  acknowledged: number
}

/** No load deletes more notes during one request. */
const MAX_REMOVED_NOTES = 1_000

export function recordRemoval({ notes, removed }: Ledger, row: NoteRow): void {
  notes.splice(notes.indexOf(row), 1)
  removed.set(row.key, row)
  const [oldest] = removed.keys()
  if (removed.size > MAX_REMOVED_NOTES && oldest !== undefined) removed.delete(oldest)
}
