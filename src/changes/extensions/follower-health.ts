import { headsOf } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { extensionDeliveriesOf } from './delivery-rows.ts'
import { type FollowerRow, followersOf } from './follower-rows.ts'

export interface FollowerHealth extends Pick<FollowerRow, 'missed'> {
  readonly extension: string
  readonly behind: number
  readonly pending: number
  readonly dead: number
}

export async function examineFollowers(database: Database): Promise<readonly FollowerHealth[]> {
  const rows = await followersOf(database).find({}).sort({ _id: 1 }).toArray()
  const head = await headsOf(database).findOne({ _id: 'main' })
  const deliveries = extensionDeliveriesOf(database)
  return Promise.all(
    rows.map(async ({ _id: extension, log, cursor, missed }) => ({
      extension,
      behind: head === null || head.log !== log ? 0 : Math.max(0, head.seq - cursor),
      pending: await deliveries.countDocuments({ extension, open: 1 }),
      dead: await deliveries.countDocuments({ extension, deadAt: { $ne: null } }),
      missed,
    })),
  )
}
