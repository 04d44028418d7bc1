import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { COMMENT_ROWS } from './entry-comments.ts'
import { REVIEW_ROWS } from '../versions/version-fields.ts'
import type { ReviewedLine } from './entry-reviews.ts'
import { deletionsIn } from './trash-rows.ts'

type Note = ReviewedLine & { readonly _id: string }

/**
 * Removes comments and reviews of locales without a version and without a deletion in the trash, except the ended
 * ones.
 */
export async function removeLostNotes(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  { session, ended = [] }: { readonly session?: Session; readonly ended?: readonly string[] } = {},
): Promise<void> {
  if (!plan.uid.startsWith('api::')) return
  const options = { session }
  const documentId = { $in: [...documentIds] }
  const own = { type: plan.uid, documentId }
  const fields = { ...options, projection: { type: 1, documentId: 1, locale: 1 } }
  const found: { readonly table: Table<Note>; readonly notes: readonly Note[] }[] = []
  for (const name of [COMMENT_ROWS, REVIEW_ROWS]) {
    const table = database.table<Note>(name)
    const notes = await table.find(own, fields).toArray()
    if (notes.length > 0) found.push({ table, notes })
  }
  if (found.length === 0) return
  const versions = await versionsOf(database, plan).find({ documentId }, fields).toArray()
  const deleted = await deletionsIn(database)
    .find(
      { ...own, _id: { $nin: [...ended] } },
      { ...options, projection: { documentId: 1, locales: 1 } },
    )
    .toArray()
  const stored = new Set([
    ...versions.map((version) => `${version['documentId']} ${version['locale']}`),
    ...deleted.flatMap((row) => row.locales.map((locale) => `${row.documentId} ${locale}`)),
  ])
  for (const { table, notes } of found) {
    const lost = notes.filter((note) => !stored.has(`${note.documentId} ${note.locale}`))
    if (lost.length === 0) continue
    await table.deleteMany({ _id: { $in: lost.map(({ _id }) => _id) } }, options)
  }
}
