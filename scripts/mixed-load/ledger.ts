export type Slot = 'draft:en' | 'draft:fr' | 'published:en' | 'published:fr'

export const SLOTS: readonly Slot[] = ['draft:en', 'draft:fr', 'published:en', 'published:fr']

/** A revision that a version may be of; null: there may be no such version. */
export type Possible = ReadonlySet<number | null>

export const NOTHING: Possible = new Set([null])

/** A document of one writer's. Its possible revisions are one where the last write was answered. */
export interface NoteRow {
  readonly key: string
  documentId: string | null
  readonly versions: Map<Slot, Possible>
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
  readonly folders: readonly string[]
  readonly counters: readonly CounterRow[]
  readonly groups: readonly string[]
  readonly members: MemberRow[]
  readonly files: FileRow[]
  /** Writes that were answered as done. */
  acknowledged: number
}

export function union(a: Possible, b: Possible): Possible {
  return new Set([...a, ...b])
}
