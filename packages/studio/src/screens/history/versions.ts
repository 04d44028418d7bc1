import type { PastVersion } from '../../api/history.ts'

/** What is one line of the list: a publication writes the draft and what is published, at one revision. */
export interface Version extends Pick<PastVersion, 'at' | 'by' | 'revision'> {
  readonly key: string
  readonly kind: 'draft' | 'published' | 'deleted' | 'unpublished'
}

/** The newest first, as they come. */
export function versionsOf(rows: readonly PastVersion[]): readonly Version[] {
  const versions = new Map<string, Version>()
  for (const { at, by, revision, op, status } of rows) {
    const key = revision ?? `${at} removed`
    const kind = kindOf(op, status)
    const before = versions.get(key)
    if (before === undefined) versions.set(key, { key, at, by, revision, kind })
    else if (kind === 'published' || kind === 'deleted') versions.set(key, { ...before, kind })
  }
  return [...versions.values()]
}

function kindOf(op: PastVersion['op'], status: PastVersion['status']): Version['kind'] {
  if (op === 'put') return status
  return status === 'draft' ? 'deleted' : 'unpublished'
}
