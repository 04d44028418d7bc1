import type { Database } from '../../mongo/connection/database.ts'
import { compareStatuses, type DocumentLocale } from '../../mongo/read/compare-statuses.ts'
import type { EntryState } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export interface StateOfLocale extends DocumentLocale {
  readonly state: EntryState
}

/** Runs one query. Lines without a version are omitted. */
export async function findStates(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
): Promise<readonly StateOfLocale[]> {
  if (lines.length === 0) return []
  if (!plan.draftAndPublish) return lines.map((line) => ({ ...line, state: 'published' }))
  const compared = await compareStatuses(database, plan, lines)
  return compared.map(({ documentId, locale, statuses, isSame }) => {
    const isPublished = statuses.includes('published')
    const state = !isPublished ? 'draft' : isSame ? 'published' : 'changed'
    return { documentId, locale, state }
  })
}
