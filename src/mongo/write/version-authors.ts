import type { Document } from 'mongodb'
import { authorshipOf } from '../connection/commit-record.ts'
import type { Session } from '../connection/database.ts'
import type { StoredVersion, VersionAuthor } from '../versions/stored-version.ts'

/** Null for writers without an id, such as commands, root, extensions and anonymous callers. */
export function versionAuthor(session: Session): VersionAuthor | null {
  const { kind, id } = authorshipOf(session).by
  return id === null ? null : { kind, id }
}

/** Authors that a version has already remain, for example those of a restored version. */
export function withAuthors(
  versions: readonly StoredVersion[],
  session: Session,
): readonly StoredVersion[] {
  const author = versionAuthor(session)
  if (author === null) return versions
  return versions.map((version) => ({ createdBy: author, updatedBy: author, ...version }))
}

/** The author of a change, if it also sets `updatedAt` and names no author itself. */
export function updaterOf(
  changes: Document,
  session: Session,
): { readonly updatedBy?: VersionAuthor | null } {
  const isStamped = 'updatedAt' in changes && !('updatedBy' in changes)
  return isStamped ? { updatedBy: versionAuthor(session) } : {}
}
