import { PreconditionFailedError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { getOverwritten, getWholeVersion } from '../../mongo/read/get-versions.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { claimVersion } from '../../mongo/write/write-versions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { Revisions, WriteCondition } from '../write-target.ts'
import { assertSeenVersion, PreviousChanged } from '../hooks/seen-versions.ts'
import { haveSameContent } from '../../mongo/versions/stored-content.ts'

/** Writes replace the draft, or the published version if there is no draft. */
export interface VersionLine {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locale: string
  readonly seen?: StoredVersion | null | undefined
}

/** Locking changes the revision. Returns the version before the lock. @throws PreconditionFailedError */
export async function assertCondition(
  context: DocumentContext,
  line: VersionLine,
  { match, noneMatch }: WriteCondition,
  session: Session,
): Promise<StoredVersion | null> {
  const current = await getExpected(context, line, { match, noneMatch }, session)
  if (current === null || match === null) return current
  assertSeenVersion(line.seen, current)
  // Without snapshot isolation, only the write itself can detect a concurrent commit.
  const isReviewed = line.plan.review?.publishesLastOnly === true
  const expected = match === '*' && line.seen === undefined && !isReviewed ? null : current
  if (await claimVersion(context.database, line.plan, current, expected, session)) return current
  if (line.seen !== undefined) throw new PreviousChanged()
  const newer = await getOverwritten(context.database, line, session)
  throw changed(newer === null ? null : revisionOf(newer))
}

/** Rejects most outdated requests before a transaction starts. @throws PreconditionFailedError */
export async function refuseOutdated(
  context: DocumentContext,
  line: VersionLine,
  condition: WriteCondition,
): Promise<void> {
  await getExpected(context, line, condition, undefined)
}

async function getExpected(
  context: DocumentContext,
  line: VersionLine,
  { match, noneMatch }: WriteCondition,
  session: Session | undefined,
): Promise<StoredVersion | null> {
  const current = await getOverwritten(context.database, line, session)
  if (current === null) return null
  const revision = revisionOf(current)
  if (noneMatch !== null && includes(noneMatch, revision)) {
    throw new PreconditionFailedError('If-None-Match: this version is stored already', revision)
  }
  if (match === null || includes(match, revision)) return current
  if (await isReadAsPublished(context, current, line, match, session)) return current
  throw changed(revision)
}

export function missingVersion(): PreconditionFailedError {
  return new PreconditionFailedError('If-Match: there is no such version', null)
}

function changed(revision: string | null): PreconditionFailedError {
  return new PreconditionFailedError(
    'If-Match: the version has changed since it was read',
    revision,
  )
}

function includes(revisions: Revisions, revision: string): boolean {
  return revisions === '*' || revisions.has(revision)
}

/** The revision can differ from that of an equal draft, because separate writes update the two. */
async function isReadAsPublished(
  { database }: DocumentContext,
  draft: StoredVersion,
  { plan, documentId, locale }: VersionLine,
  match: Revisions,
  session: Session | undefined,
): Promise<boolean> {
  if (draft.status === 'published') return false
  const key = { locale, status: 'published' } as const
  const published = await getWholeVersion(database, plan, documentId, key, session)
  return (
    published !== null &&
    includes(match, revisionOf(published)) &&
    haveSameContent(plan, draft, published)
  )
}
