import type { Database } from '../../mongo/connection/database.ts'
import { FOREIGN, foreignRowsOf } from './foreign-row.ts'

export interface ForeignHealth {
  /** Age of the newest change that is in the log, or of the last look if there was none since; 0 before the start. */
  readonly lagMs: number
}

/** @throws CmsError for errors of the database (`toCmsError`) */
export async function examineForeign(database: Database, now: Date): Promise<ForeignHealth> {
  const row = await foreignRowsOf(database).findOne(FOREIGN, { projection: { at: 1 } })
  return { lagMs: row === null ? 0 : Math.max(0, now.getTime() - row.at.getTime()) }
}
