import type { Database } from '../../mongo/connection/database.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { haveSameContent } from '../write/same-content.ts'
import type { EntryState } from '../../query/query.ts'

export interface LocaleState {
  readonly locale: string
  readonly state: EntryState
  readonly updatedAt: Date
  readonly publishedAt: Date | null
}

export async function listLocales(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
): Promise<readonly LocaleState[]> {
  if (!isDocumentId(documentId)) return []
  const versions = await getAllVersions(database, plan, documentId)
  const locales = [...new Set(versions.map(({ locale }) => locale))].sort()
  return locales.flatMap((locale) => {
    const inLocale = versions.filter((version) => version.locale === locale)
    return stateOf(plan, inLocale) ?? []
  })
}

function stateOf(plan: ContentTypePlan, versions: readonly StoredVersion[]): LocaleState | null {
  const draft = versions.find(({ status }) => status === 'draft')
  const published = versions.find(({ status }) => status === 'published')
  const shown = draft ?? published
  if (shown === undefined) return null
  const { locale, updatedAt } = shown
  if (published === undefined) return { locale, state: 'draft', updatedAt, publishedAt: null }
  const isSame = draft === undefined || haveSameContent(plan, draft, published)
  const { publishedAt } = published
  return { locale, state: isSame ? 'published' : 'changed', updatedAt, publishedAt }
}
