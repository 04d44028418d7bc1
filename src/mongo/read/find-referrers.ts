import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Status } from '../../query/query.ts'
import type { Database } from '../connection/database.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import { versionsOf } from '../versions/stored-version.ts'

export interface Referrer {
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly title: unknown
}

export interface ReferrerSearch {
  /** With stored names (`findReferencePaths`). */
  readonly path: string
  /** The stored values that refer to the targets. */
  readonly values: readonly string[]
  readonly except: readonly string[]
  readonly statuses: readonly Status[]
  readonly titleField: string
  readonly limit: number
}

export async function findReferrers(
  database: Database,
  plan: ContentTypePlan,
  { path, values, except, statuses, titleField, limit }: ReferrerSearch,
): Promise<readonly Referrer[]> {
  const title = storedPathOf(plan, titleField)
  const projection = { documentId: 1, locale: 1, status: 1, [title]: 1 }
  const found = await versionsOf(database, plan)
    .find(
      {
        [path]: { $in: [...values] },
        status: { $in: [...statuses] },
        ...(except.length > 0 && { documentId: { $nin: [...except] } }),
      },
      { projection, limit, batchSize: limit + 1 },
    )
    .toArray()
  return found.map((row) => ({
    documentId: String(row['documentId']),
    locale: String(row['locale']),
    status: row['status'] as Status,
    title: row[title] as unknown,
  }))
}
