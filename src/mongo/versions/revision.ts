import { randomUUID } from 'node:crypto'
import type { StoredVersion } from './stored-version.ts'

/** The name of the revision in a version. It is reserved, so no filter, sort or response can contain it. */
export const REVISION = '_revision'

/**
 * The last writer of several versions (`lockDocument`). The value is random, because writing an
 * equal value locks nothing.
 */
export const LOCK = '_lock'

/** The name of the last commit (`commitId`) in a version, hidden like the revision. */
export const COMMIT = '_commit'

/** Random, because a counter would restart when a document is deleted and created again. */
export function newRevision(): string {
  const uuid = randomUUID() // caches random bytes; the middle is skipped because it contains the UUID version
  return uuid.slice(0, 8) + uuid.slice(-8)
}

export function revisionOf(version: Pick<StoredVersion, typeof REVISION | 'updatedAt'>): string {
  return version[REVISION] ?? `0${version.updatedAt.getTime().toString(36)}`
}
