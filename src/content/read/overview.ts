import type { Database } from '../../mongo/connection/database.ts'
import type { DocumentLocale } from '../../mongo/read/compare-statuses.ts'
import { countKey, findTitles } from '../../mongo/read/find-titles.ts'
import type { VersionKey } from '../../query/query.ts'
import { type ContentTypePlan, titleFieldOf } from '../../schema/plan.ts'

export function countEntries(
  database: Database,
  plan: ContentTypePlan,
  key: VersionKey,
): Promise<number> {
  return countKey(database, plan, key)
}

/** By `documentId:locale`. The title of the draft is preferred. */
export async function titlesOf(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
): Promise<ReadonlyMap<string, string>> {
  if (lines.length === 0) return new Map()
  const found = await findTitles(database, plan, lines, titleFieldOf(plan))
  const drafts = found.filter(({ status }) => status === 'draft')
  const published = found.filter(({ status }) => status === 'published')
  return new Map(
    [...published, ...drafts].map(({ documentId, locale, title }) => [
      `${documentId}:${locale}`,
      typeof title === 'string' ? title : '',
    ]),
  )
}
