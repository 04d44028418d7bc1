import { COMMITS } from '../connection/commit-record.ts'
import type { Moment } from '../connection/database.ts'
import { optionsAt } from '../connection/time-limits.ts'
import type { Head } from './heads.ts'
import type { NumberedCommit } from './read-commits.ts'

/** Whether commits of an end user have no number yet, or one after the head. */
export async function hasCommitsAfter(
  moment: Moment,
  { seq }: Pick<Head, 'seq'>,
  user: string,
): Promise<boolean> {
  const rows = moment.database.table<NumberedCommit & { readonly pending?: 1 }>(COMMITS)
  const own = { 'by.kind': 'user', 'by.id': user } as const
  const find = async (place: { pending: 1 } | { seq: { $gt: number } }): Promise<boolean> => {
    const projection = { _id: 1 }
    return (await rows.findOne({ ...place, ...own }, { ...optionsAt(moment), projection })) !== null
  }
  // In this order, because pending commits become numbered ones.
  return (await find({ pending: 1 })) || find({ seq: { $gt: seq } })
}
