import { headsOf } from '../../mongo/commits/heads.ts'
import { COMMITS } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { PURGE_ROW, type PurgeRow, PURGES } from './purge-row.ts'

export interface PurgeHealth {
  readonly behind: number
  /** Age of the oldest of them by the local clock; 0 without any. */
  readonly lagMs: number
  readonly failures: number
}

/** @throws CmsError for errors of the database (`toCmsError`) */
export async function examinePurges(database: Database, now: Date): Promise<PurgeHealth> {
  const row = await database
    .table<PurgeRow>(PURGES)
    .findOne({ _id: PURGE_ROW }, { projection: { log: 1, cursor: 1, failures: 1 } })
  const head = await headsOf(database).findOne({ _id: 'main' })
  if (row === null || head === null) return { behind: 0, lagMs: 0, failures: 0 }
  const purged = row.log === head.log ? row.cursor : 0 // another log: everything is purged again
  const behind = Math.max(0, head.seq - purged)
  const [oldest] = behind === 0 ? [] : await commitsAfter(database, purged)
  const lagMs = oldest === undefined ? 0 : Math.max(0, now.getTime() - oldest.at.getTime())
  return { behind, lagMs, failures: row.failures }
}

function commitsAfter(database: Database, seq: number): Promise<readonly { readonly at: Date }[]> {
  return database
    .table<{ readonly seq: number; readonly at: Date }>(COMMITS)
    .find({ seq: { $gt: seq } }, { projection: { at: 1 } })
    .sort({ seq: 1 })
    .limit(1)
    .toArray()
}
