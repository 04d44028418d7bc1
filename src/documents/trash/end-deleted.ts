import { NotFoundError } from '../../errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import { type DeletionsOf, findDeletionsOf } from '../../mongo/trash/read-trash.ts'
import { takeFromTrash } from '../../mongo/trash/take-from-trash.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'

/** What the log calls the end of what was in the trash. */
export const TRASH_TYPE = 'admin::trash'

/**
 * Ends what is in the trash of a document, for good; the audit says who did.
 * @throws NotFoundError for what is not there; what `assertMay` throws for the locales that end
 */
export function endDeleted(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  { documentId, deletion }: Omit<DeletionsOf, 'type'>,
  assertMay: (locales: readonly string[]) => void,
): Promise<void> {
  return database.transact(async (session) => {
    const rows = await findDeletionsOf(database, { type: plan.uid, documentId, deletion }, session)
    if (rows.length === 0) throw new NotFoundError('This is not in the trash')
    assertMay(rows.flatMap(({ locales }) => locales))
    for (const row of rows) {
      await takeFromTrash(database, plan, { row, locales: row.locales }, session)
    }
    noteRow(session, 'delete', { type: TRASH_TYPE, documentId })
  })
}
