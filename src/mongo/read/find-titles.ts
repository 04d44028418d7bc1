import type { VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'
import type { DocumentLocale } from './compare-statuses.ts'
import type { Referrer } from './find-referrers.ts'

export async function findTitles(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
  titleField: string,
): Promise<readonly Referrer[]> {
  const ids = lines.flatMap(({ documentId, locale }) =>
    (['draft', 'published'] as const).map((status) => versionId(documentId, { locale, status })),
  )
  const title = storedPathOf(plan, titleField)
  const projection = { documentId: 1, locale: 1, status: 1, [title]: 1 }
  const found = await versionsOf(database, plan)
    .find({ _id: { $in: ids } }, { projection })
    .toArray()
  return found.map((row) => ({
    documentId: String(row['documentId']),
    locale: String(row['locale']),
    status: row['status'] as Referrer['status'],
    title: row[title] as unknown,
  }))
}

export function countKey(
  database: Database,
  plan: ContentTypePlan,
  { locale, status }: VersionKey,
): Promise<number> {
  const options = { limit: database.countLimit }
  return versionsOf(database, plan).countDocuments({ status, locale }, options)
}
