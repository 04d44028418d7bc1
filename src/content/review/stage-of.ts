import { ApplicationError } from '../../base/errors.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import type { WrittenLine } from '../../mongo/read/get-versions.ts'
import { type ReviewRow, reviewId, reviewsIn } from '../../mongo/trash/entry-reviews.ts'
import type { ReviewDefinition } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export function rowIdOf({ plan, documentId, locale }: WrittenLine): string {
  return reviewId({ type: plan.uid, documentId, locale })
}

export function getReviewRow(
  database: Database,
  entry: WrittenLine,
  session?: Session,
): Promise<ReviewRow | null> {
  return reviewsIn(database).findOne({ _id: rowIdOf(entry) }, { session })
}

/** The last stage belongs to one revision of the draft: an edit sets the draft back to the first stage. */
export function stageOf(
  { stages }: ReviewDefinition,
  row: Pick<ReviewRow, 'stage' | 'revision'> | null | undefined,
  revision: string,
): string {
  const index = stages.findIndex(({ name }) => name === row?.stage)
  const hasLapsed = index === stages.length - 1 && row?.revision !== revision
  return stages[hasLapsed ? 0 : Math.max(index, 0)]?.name ?? ''
}

export function lastStage({ stages }: ReviewDefinition): string {
  return stages.at(-1)?.name ?? ''
}

/** Refuses to publish values that no draft had when it was reviewed. @throws ApplicationError */
export function refuseUnreviewed({ review }: ContentTypePlan): void {
  if (review?.publishesLastOnly === true) throw notReviewed(review)
}

/** Whether the draft is in the last stage. @throws ApplicationError if only such drafts may be published */
export async function assertReviewed(
  database: Database,
  entry: WrittenLine,
  revision: string,
  session: Session,
): Promise<boolean> {
  const { review } = entry.plan
  if (review === undefined) return false
  const row = await getReviewRow(database, entry, session)
  const isReady = stageOf(review, row, revision) === lastStage(review)
  if (!isReady) refuseUnreviewed(entry.plan)
  return isReady
}

export function notReviewed(review: ReviewDefinition): ApplicationError {
  const stage = lastStage(review)
  const message = `Only drafts in the stage ${stage} can be published`
  return new ApplicationError(message, { stage }, { code: 'not_reviewed' })
}

/**
 * Ends the review of a draft that was published or discarded. A published draft that was ready remains so with its new
 * revision, so that it can be unpublished and published again.
 */
export async function endReview(
  database: Database,
  entry: WrittenLine,
  readyRevision: string | null,
  session: Session,
): Promise<void> {
  if (entry.plan.review === undefined) return
  const which = { _id: rowIdOf(entry) }
  const rows = reviewsIn(database)
  if (readyRevision === null) await rows.deleteOne(which, { session })
  else
    await rows.updateOne(which, { $set: { revision: readyRevision, assignee: null } }, { session })
}
