import type { VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsOf } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'
import type { DocumentLocale } from './compare-statuses.ts'
import type { Referrer } from './find-referrers.ts'

export function findTitles(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
  titleField: string,
): Promise<readonly Referrer[]> {
  const ids = lines.flatMap(({ documentId, locale }) =>
    (['draft', 'published'] as const).map((status) => versionId(documentId, { locale, status })),
  )
  const projection = { documentId: 1, locale: 1, status: 1, [titleField]: 1 }
  return asCmsErrors(async () => {
    const found = await versionsOf(database, plan)
      .find({ _id: { $in: ids } }, { ...optionsOf(database), projection })
      .toArray()
    return found.map((row) => ({
      documentId: String(row['documentId']),
      locale: String(row['locale']),
      status: row['status'] as Referrer['status'],
      title: row[titleField] as unknown,
    }))
  })
}

export function countKey(
  database: Database,
  plan: ContentTypePlan,
  { locale, status }: VersionKey,
): Promise<number> {
  const options = { ...optionsOf(database), limit: database.countLimit }
  return asCmsErrors(() => versionsOf(database, plan).countDocuments({ status, locale }, options))
}
