import type { PastVersion } from '../../api/history.ts'

/** One row per commit. A publication writes the draft and the published version in one commit. */
export interface Version extends Pick<PastVersion, 'at' | 'by' | 'revision'> {
  readonly key: string
  readonly kind: 'draft' | 'published' | 'deleted' | 'unpublished'
}

/** The label of a commit with several changes, in ascending priority. */
const RANKS = ['draft', 'unpublished', 'published', 'deleted'] as const

/**
 * Newest first, like the rows. A discard has a commit of its own, although it restores an old
 * revision.
 */
export function versionsOf(rows: readonly PastVersion[]): readonly Version[] {
  const versions = new Map<string, Version>()
  for (const { commit, at, by, revision, op, status } of rows) {
    const before = versions.get(commit)
    const kind = highest(kindOf(op, status), before?.kind)
    versions.set(commit, { key: commit, at, by, revision: before?.revision ?? revision, kind })
  }
  return [...versions.values()]
}

function highest(kind: Version['kind'], other: Version['kind'] = 'draft'): Version['kind'] {
  return RANKS.indexOf(kind) < RANKS.indexOf(other) ? other : kind
}

function kindOf(op: PastVersion['op'], status: PastVersion['status']): Version['kind'] {
  if (op === 'put') return status
  return status === 'draft' ? 'deleted' : 'unpublished'
}
