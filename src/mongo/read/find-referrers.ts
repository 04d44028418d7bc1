import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Status } from '../../query/query.ts'
import { optionsOf } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { versionsOf } from '../versions/stored-version.ts'

export interface Referrer {
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly title: unknown
}

export interface ReferrerSearch {
  readonly path: string
  readonly documentId: string
  readonly statuses: readonly Status[]
  readonly titleField: string
  readonly limit: number
}

export function findReferrers(
  database: Database,
  plan: ContentTypePlan,
  { path, documentId, statuses, titleField, limit }: ReferrerSearch,
): Promise<readonly Referrer[]> {
  const projection = { documentId: 1, locale: 1, status: 1, [titleField]: 1 }
  return asCmsErrors(async () => {
    const found = await versionsOf(database, plan)
      .find(
        { [path]: documentId, status: { $in: [...statuses] } },
        { ...optionsOf(database), projection, limit, batchSize: limit + 1 },
      )
      .toArray()
    return found.map((row) => ({
      documentId: String(row['documentId']),
      locale: String(row['locale']),
      status: row['status'] as Status,
      title: row[titleField] as unknown,
    }))
  })
}
