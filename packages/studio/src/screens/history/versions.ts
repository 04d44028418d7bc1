import type { PastVersion } from '../../api/history.ts'

export type VersionKind =
  'edited' | 'restored' | 'discarded' | 'published' | 'unpublished' | 'deleted'

/** One row per commit. A publication writes the draft and the published version in one commit. */
export interface Version extends Pick<PastVersion, 'at' | 'by' | 'revision'> {
  readonly key: string
  readonly kind: VersionKind
  readonly isNew: boolean
  readonly isScheduled: boolean
  /** Null if they are unknown. */
  readonly changed: readonly string[] | null
}

/** The kind of a commit with several changes, in ascending priority. */
const RANKS = ['edited', 'unpublished', 'published', 'deleted'] as const

type RankedKind = (typeof RANKS)[number]

/** Newest first, like the rows. Without drafts, every write is an edit. */
export function versionsOf(rows: readonly PastVersion[], hasDrafts: boolean): readonly Version[] {
  const versions = [...byCommit(rows).values()].flatMap((items) => versionOf(items, hasDrafts))
  return versions.map((version, index) =>
    isDiscard(version, versions.slice(index + 1)) ? { ...version, kind: 'discarded' } : version,
  )
}

function versionOf(items: readonly PastVersion[], hasDrafts: boolean): readonly Version[] {
  const [first] = items
  if (first === undefined) return []
  const { commit, at, by, requestId } = first
  const kind = items.map((item) => kindOf(item, hasDrafts)).reduce(higher)
  const isRestored = kind === 'edited' && items.some(({ via }) => via === 'restore')
  return [
    {
      key: commit,
      at,
      by,
      revision: items.find(({ revision }) => revision !== null)?.revision ?? null,
      kind: isRestored ? 'restored' : kind,
      isNew: items.some(({ isNew }) => isNew === true),
      isScheduled: requestId?.startsWith('schedule:') ?? false,
      changed: items.find(({ changed }) => changed !== undefined)?.changed ?? null,
    },
  ]
}

/** A discard gives the draft the revision of the published version again. */
function isDiscard({ kind, revision }: Version, older: readonly Version[]): boolean {
  const published = older.find((one) => one.kind === 'published')
  return kind === 'edited' && revision !== null && revision === published?.revision
}

function byCommit(rows: readonly PastVersion[]): ReadonlyMap<string, readonly PastVersion[]> {
  const commits = new Map<string, PastVersion[]>()
  for (const row of rows) commits.set(row.commit, [...(commits.get(row.commit) ?? []), row])
  return commits
}

function higher(one: RankedKind, other: RankedKind): RankedKind {
  return RANKS.indexOf(one) < RANKS.indexOf(other) ? other : one
}

function kindOf({ op, status }: PastVersion, hasDrafts: boolean): RankedKind {
  const isWorkedOn = !hasDrafts || status === 'draft'
  if (op === 'put') return isWorkedOn ? 'edited' : 'published'
  return isWorkedOn ? 'deleted' : 'unpublished'
}
