import { randomUUID } from 'node:crypto'
import type { StoredVersion } from './stored-version.ts'

/**
 * The name under which a version holds its revision: no attribute may have it, so that no filter, sort or
 * answer can reach it.
 */
export const REVISION = '_revision'

/**
 * The name under which a version notes who last wrote several versions of its document (`lockDocument`); as
 * hidden as the revision. By chance as well: writing what is there already would lock nothing.
 */
export const LOCK = '_lock'

/** The name under which a version holds the last commit that has written it (`commitId`); as hidden as the revision. */
export const COMMIT = '_commit'

/**
 * 16 random hexadecimal digits. Not a count: a document that is deleted and created again would count from
 * the start, and a revision that a client read before would seem current.
 */
export function newRevision(): string {
  const uuid = randomUUID() // which has random bytes in store; in the middle are digits that tell its version
  return uuid.slice(0, 8) + uuid.slice(-8)
}

/** Identifies one state of a version. Versions stored before revisions existed go by their date. */
export function revisionOf(version: Pick<StoredVersion, typeof REVISION | 'updatedAt'>): string {
  return version[REVISION] ?? `0${version.updatedAt.getTime().toString(36)}`
}
