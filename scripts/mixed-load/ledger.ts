import type { PossibleVersions } from './possible-versions.ts'

/** A document of one writer's. Its possible revisions are one where the last write was answered. */
export interface NoteRow {
  readonly key: string
  documentId: string | null
  readonly versions: PossibleVersions
}

/** A document that all writers count up, under a condition. */
export interface CounterRow {
  readonly documentId: string
  acknowledged: number
  /** Asked for, and not known whether done. */
  unknown: number
}

export interface MemberRow {
  readonly key: string
  documentId: string | null
  exists: 'yes' | 'no' | 'unknown'
  /** By group. */
  readonly isMember: Map<string, 'yes' | 'no' | 'unknown'>
}

export interface FileRow {
  readonly id: number
  readonly url: string
  readonly content: string
  exists: 'yes' | 'no' | 'unknown'
}

/** What the servers acknowledged, and what they may have done besides. */
export interface Ledger {
  readonly notes: NoteRow[]
  /** Notes whose deletion was acknowledged, by their keys: the last ones, as a kept answer may show them for a while. */
  readonly removed: Map<string, NoteRow>
  readonly folders: readonly string[]
  readonly counters: readonly CounterRow[]
  readonly groups: readonly string[]
  readonly members: MemberRow[]
  readonly files: FileRow[]
  /** Writes that were answered as done. */
  acknowledged: number
}

/** As many deletions as no load acknowledges while one request is under way. */
const MOST_REMOVED = 1_000

export function noteRemoved({ notes, removed }: Ledger, row: NoteRow): void {
  notes.splice(notes.indexOf(row), 1)
  removed.set(row.key, row)
  const [oldest] = removed.keys()
  if (removed.size > MOST_REMOVED && oldest !== undefined) removed.delete(oldest)
}
