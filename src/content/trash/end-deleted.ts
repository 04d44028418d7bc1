import { NotFoundError } from '../../base/errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import { type DeletionsOf, findDeletionsOf } from '../../mongo/trash/read-trash.ts'
import { takeFromTrash } from '../../mongo/trash/take-from-trash.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'

export const TRASH_TYPE = 'admin::trash'

/** @throws NotFoundError if the trash does not contain it; errors of `assertMay` for its locales */
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
