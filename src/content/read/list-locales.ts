import type { Database } from '../../mongo/connection/database.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { isDocumentId, isIdOf } from '../../mongo/versions/document-id.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { differingAttributes, haveSameContent } from '../../mongo/versions/stored-content.ts'
import type { EntryState } from '../../query/query.ts'
import type { VisibleVersions } from '../rules/visible-documents.ts'

export interface LocaleState {
  readonly locale: string
  readonly state: EntryState
  readonly updatedAt: Date
  readonly publishedAt: Date | null
}

/** The difference between the published version and the draft of a locale. */
export interface UnpublishedChanges {
  readonly locale: string
  readonly attributes: readonly string[]
  /** Revisions of the published version and of the draft. Null in versions of older servers. */
  readonly from: string | null
  readonly to: string | null
}

/** The locales with a draft that differs from the published version. */
export async function listChanges(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
): Promise<readonly UnpublishedChanges[]> {
  if (!plan.draftAndPublish || !isDocumentId(documentId)) return []
  const stored = await getAllVersions(database, plan, documentId)
  return stored.flatMap((draft) => {
    if (draft.status !== 'draft') return []
    const published = stored.find(
      ({ locale, status }) => locale === draft.locale && status === 'published',
    )
    if (published === undefined) return []
    const attributes = differingAttributes(plan, draft, published)
    if (attributes.length === 0) return []
    const { _revision: from = null } = published
    const { locale, _revision: to = null } = draft
    return [{ locale, attributes, from, to }]
  })
}

const ALL_VERSIONS: VisibleVersions = { has: () => true }

export async function listLocales(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  seen: VisibleVersions = ALL_VERSIONS,
): Promise<readonly LocaleState[]> {
  if (!isIdOf(plan, documentId)) return []
  const stored = await getAllVersions(database, plan, documentId)
  const versions = stored.filter((version) => seen.has(version))
  const locales = [...new Set(versions.map(({ locale }) => locale))].sort()
  return locales.flatMap((locale) => {
    const inLocale = versions.filter((version) => version.locale === locale)
    return stateOfVersions(plan, inLocale) ?? []
  })
}

/** The state of versions of one locale. Null without a version. */
export function stateOfVersions(
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
): LocaleState | null {
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
