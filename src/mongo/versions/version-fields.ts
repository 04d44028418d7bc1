import { randomUUID } from 'node:crypto'

/** The name of the revision in a version. It is reserved, so no filter, sort or response can contain it. */
export const REVISION = '_revision'

/** The last writer of several versions (`lockDocument`). Random, because writing an equal value locks nothing. */
export const LOCK = '_lock'

/** The name of the last commit (`commitId`) in a version, hidden like the revision. */
export const COMMIT = '_commit'

/** Random, because a counter would restart when a document is deleted and created again. */
export function newRevision(): string {
  const uuid = randomUUID() // caches random bytes; the middle is skipped because it contains the UUID version
  return uuid.slice(0, 8) + uuid.slice(-8)
}

interface RevisedVersion {
  readonly [REVISION]?: string
  readonly updatedAt: Date
}

export function revisionOf(version: RevisedVersion): string {
  return version[REVISION] ?? `0${version.updatedAt.getTime().toString(36)}`
}

/**
 * How the draft and the published version of a locale compare. A write sets `$max: UNKNOWN` on its own version only,
 * so neither version may be `UNKNOWN`. No state means `UNKNOWN`.
 */
export const STATE_FIELD = '_state'

export const STATE_SAME = 1
export const STATE_CHANGED = 2
export const STATE_UNKNOWN = 3
/** No published version. Greater than `UNKNOWN`: an edit of the draft does not change this. */
export const STATE_ALONE = 4

export type StoredState =
  typeof STATE_SAME | typeof STATE_CHANGED | typeof STATE_UNKNOWN | typeof STATE_ALONE

export const UNSETTLED = { [STATE_FIELD]: { $in: [STATE_UNKNOWN, null] } } as const

/** The collection of reviews. Lists join it with drafts. */
export const REVIEW_ROWS = 'quire_reviews'
