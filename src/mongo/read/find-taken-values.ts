import type { Status } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsOf } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { versionsOf } from '../versions/stored-version.ts'

export interface TakenValueSearch {
  readonly attribute: string
  readonly values: readonly string[]
  readonly locale: string
  readonly status: Status
  readonly except: string | null
}

export function findTakenValues(
  database: Database,
  plan: ContentTypePlan,
  { attribute, values, locale, status, except }: TakenValueSearch,
  session?: Session,
): Promise<ReadonlySet<string>> {
  return asCmsErrors(async () => {
    const found = await versionsOf(database, plan)
      .find(
        {
          [attribute]: { $in: [...values] },
          locale,
          status,
          ...(except !== null && { documentId: { $ne: except } }),
        },
        { ...optionsOf(database, session), projection: { _id: 0, [attribute]: 1 } },
      )
      .toArray()
    return new Set(found.map((row) => String(row[attribute])))
  })
}
