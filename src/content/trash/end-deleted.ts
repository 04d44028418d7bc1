import { NotFoundError } from '../../base/errors.ts'
import { removeLostNotes } from '../../mongo/trash/lost-notes.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { type DeletionRow, TRASH_TYPE } from '../../mongo/trash/trash-rows.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import { type DeletionsOf, findDeletionsOf } from '../../mongo/trash/read-trash.ts'
import { takeFromTrash } from '../../mongo/trash/take-from-trash.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'

export type AssertMayEnd = (rows: readonly DeletionRow[], session: Session) => Promise<void>

/** @throws NotFoundError if the trash does not contain it; errors of `assertMay` */
export function endDeleted(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  { documentId, deletion }: Omit<DeletionsOf, 'type'>,
  assertMay: AssertMayEnd,
): Promise<void> {
  return database.transact(async (session) => {
    const rows = await findDeletionsOf(database, { type: plan.uid, documentId, deletion }, session)
    if (rows.length === 0) throw new NotFoundError('This is not in the trash')
    await assertMay(rows, session)
    for (const row of rows) {
      await takeFromTrash(database, plan, { row, locales: row.locales }, session)
    }
    await removeLostNotes(database, plan, [documentId], { session })
    noteRow(session, 'delete', { type: TRASH_TYPE, documentId })
  })
}
