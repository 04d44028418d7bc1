import { asRow, asVersion, versionsOf } from '../../mongo/versions/stored-version.ts'
import { REVISION, revisionOf } from '../../mongo/versions/version-fields.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { DocumentLocale } from '../../mongo/read/compare-statuses.ts'
import { reviewId, type ReviewRow, reviewsIn } from '../../mongo/trash/entry-reviews.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { stageOf } from './stage-of.ts'

const MAX_READ = 100

/** The newest first, including those of hidden entries. */
export function findAssigned(
  database: Database,
  administrator: string,
): Promise<readonly ReviewRow[]> {
  return reviewsIn(database)
    .find({ assignee: administrator }, { batchSize: MAX_READ + 1 })
    .sort({ at: -1, _id: 1 })
    .limit(MAX_READ)
    .toArray()
}

/** The present stages of rows of one type, by the id of the row. Rows without a draft have none. */
export async function stagesOf(
  database: Database,
  plan: ContentTypePlan,
  rows: readonly ReviewRow[],
): Promise<ReadonlyMap<string, string>> {
  const { review } = plan
  const draftOf = ({ documentId, locale }: ReviewRow): string =>
    versionId(documentId, { locale, status: 'draft' })
  if (review === undefined || rows.length === 0) return new Map()
  const drafts = await versionsOf(database, plan)
    .find({ _id: { $in: rows.map(draftOf) } }, { projection: { [REVISION]: 1, updatedAt: 1 } })
    .toArray()
  const revisions = new Map(
    drafts.map((draft) => [draft._id, revisionOf(asVersion(plan, asRow(draft)))]),
  )
  return new Map(
    rows.flatMap((row) => {
      const revision = revisions.get(draftOf(row))
      return revision === undefined ? [] : [[row._id, stageOf(review, row, revision)] as const]
    }),
  )
}

/** By the id of the row. */
export async function findReviewRows(
  database: Database,
  { uid }: ContentTypePlan,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, ReviewRow>> {
  if (documentIds.length === 0) return new Map()
  const documentId = { $in: [...new Set(documentIds)] }
  const rows = await reviewsIn(database).find({ type: uid, documentId }).toArray()
  return new Map(rows.map((row) => [row._id, row]))
}

/** The lines whose document has a draft in the locale. */
export async function linesWithDraft<Line extends DocumentLocale>(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  const draftOf = ({ documentId, locale }: Line): string =>
    versionId(documentId, { locale, status: 'draft' })
  const found = await versionsOf(database, plan)
    .find({ _id: { $in: lines.map(draftOf) } }, { projection: { _id: 1 } })
    .toArray()
  const ids = new Set(found.map(({ _id }) => _id))
  return lines.filter((line) => ids.has(draftOf(line)))
}

/** The stages of drafts, in the order of the lines. Empty for types without a review. */
export async function findReviewStages(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
): Promise<readonly string[]> {
  const { uid, review } = plan
  if (review === undefined) return []
  const ids = lines.map((line) => reviewId({ type: uid, ...line }))
  const rows = await findReviewRows(
    database,
    plan,
    lines.map(({ documentId }) => documentId),
  )
  const reached = await stagesOf(
    database,
    plan,
    ids.flatMap((id) => rows.get(id) ?? []),
  )
  return ids.map((id) => reached.get(id) ?? stageOf(review, null, ''))
}
