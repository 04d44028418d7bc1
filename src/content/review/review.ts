import { NotFoundError, PreconditionFailedError } from '../../base/errors.ts'
import { getOverwritten, type WrittenLine } from '../../mongo/read/get-versions.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { type ReviewRow, reviewsIn } from '../../mongo/trash/entry-reviews.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import { guardVersion, runGuarded } from '../../mongo/write/row-guard.ts'
import { retryCollisions } from '../../mongo/write/write-path.ts'
import type { ReviewDefinition } from '../../schema/definition.ts'
import type { DocumentContext } from '../context.ts'
import { refuseHidden, underRules } from '../write-rules.ts'
import type { Revisions, Writer } from '../write-target.ts'
import { getReviewRow, rowIdOf, stageOf } from './stage-of.ts'

/** Its items have the documentId and the locale of the entry. */
export const REVIEW_TYPE = 'admin::review'

export interface EntryReview {
  readonly stage: string
  /** The id of an administrator, perhaps of a removed one. */
  readonly assignee: string | null
}

/** Absent members stay. */
export interface ReviewChange {
  readonly stage?: string
  readonly assignee?: string | null
}

export interface ReviewRequest {
  readonly review: ReviewDefinition
  readonly change: ReviewChange
  /** The revisions that the draft may have. Null accepts any. */
  readonly match: Revisions | null
  /** The id of an administrator. */
  readonly by: string
  readonly writer: Writer
}

export interface ChangedReview {
  readonly before: EntryReview
  readonly after: EntryReview
}

/** The first stage if the entry has no version. */
export async function getReview(
  context: Pick<DocumentContext, 'database'>,
  review: ReviewDefinition,
  entry: WrittenLine,
): Promise<EntryReview> {
  const row = await getReviewRow(context.database, entry)
  return shownReview(review, row, await revisionIn(context, entry))
}

function shownReview(
  review: ReviewDefinition,
  row: ReviewRow | null,
  revision: string,
): EntryReview {
  return { stage: stageOf(review, row, revision), assignee: row?.assignee ?? null }
}

async function revisionIn(
  context: Pick<DocumentContext, 'database'>,
  entry: WrittenLine,
): Promise<string> {
  const version = await getOverwritten(context.database, entry)
  return version === null ? '' : revisionOf(version)
}

/**
 * Changes no version: their revisions, states, times and history stay. Under rules, the change is an update of the draft.
 * @throws NotFoundError, ForbiddenError; PreconditionFailedError if the draft has another revision
 */
export function changeReview(
  context: DocumentContext,
  entry: WrittenLine,
  request: ReviewRequest,
): Promise<ChangedReview> {
  const { database } = context
  const { plan, documentId, locale } = entry
  const { rules, locale: ownersLocale } = request.writer
  const locales = [locale]
  const write = { plan, documentId, verb: 'update', locale: ownersLocale, locales } as const
  return underRules(context, rules, write, async ({ guard }) => {
    await refuseHidden(context, rules, write)
    return retryCollisions(() =>
      database.transact((session) =>
        runGuarded(database, guard, session, () => changeInside(context, entry, request, session)),
      ),
    )
  })
}

async function changeInside(
  context: DocumentContext,
  entry: WrittenLine,
  { review, change, match, by }: ReviewRequest,
  session: Session,
): Promise<ChangedReview> {
  const { database, now } = context
  const { plan, documentId, locale } = entry
  const version = await getOverwritten(context.database, entry, session)
  if (version === null) throw new NotFoundError('Not Found')
  await guardVersion(database, plan, versionId(documentId, version), session)
  const revision = revisionOf(version)
  if (match !== null && match !== '*' && !match.has(revision)) {
    throw new PreconditionFailedError('If-Match: the draft has changed since it was read', revision)
  }
  const row = await getReviewRow(database, entry, session)
  const before = shownReview(review, row, revision)
  const { stage = before.stage, assignee = before.assignee } = change
  // An assignment alone must not make a later revision ready.
  const reviewed = change.stage === undefined ? (row?.revision ?? revision) : revision
  const values = { stage, assignee, revision: reviewed, by, at: now() }
  await putReview(database, entry, values, session)
  noteRow(session, 'put', { type: REVIEW_TYPE, documentId, locale, entryType: plan.uid })
  return { before, after: { stage, assignee } }
}

async function putReview(
  database: Database,
  entry: WrittenLine,
  values: Omit<ReviewRow, '_id' | 'type' | 'documentId' | 'locale'>,
  session: Session,
): Promise<void> {
  const { plan, documentId, locale } = entry
  const line = { type: plan.uid, documentId, locale }
  await reviewsIn(database).updateOne(
    { _id: rowIdOf(entry) },
    { $set: values, $setOnInsert: line },
    { session, upsert: true },
  )
}
