import type { PastVersion } from '../../api/history.ts'

/** One row of the list: a commit. A publication writes the draft and the published version in one. */
export interface Version extends Pick<PastVersion, 'at' | 'by' | 'revision'> {
  readonly key: string
  readonly kind: 'draft' | 'published' | 'deleted' | 'unpublished'
}

/** What a commit is called that did several things. */
const RANKS = ['draft', 'unpublished', 'published', 'deleted'] as const

/** The newest first, as they come. A discard has a commit of its own, though it restores a revision. */
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
