import { NotFoundError } from '../../base/errors.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { ActionLocales } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { hasReadRules, singleReadVerb, visibleVersions } from '../rules/visible-documents.ts'
import type { WriteRules } from '../write-rules.ts'
import { checkItems, type ItemFault } from './check-items.ts'
import type { PlanningContext } from './planning.ts'

export type PublicationFault = Pick<ItemFault, 'name' | 'code' | 'message' | 'details'> & {
  readonly locale?: string
}

export interface CheckedDocument {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locales: ActionLocales
  /** For targets of entries without a locale. */
  readonly locale: string
}

/**
 * Returns at most one row per locale, and no faults of attributes that rules hide from the caller.
 * @throws NotFoundError for a missing document or requested locale
 */
export async function checkPublication(
  context: Pick<PlanningContext, 'documents' | 'schema'>,
  rules: WriteRules | undefined,
  { plan, documentId, locale: defaultLocale, locales: { kind, locales } }: CheckedDocument,
): Promise<readonly PublicationFault[]> {
  if (!isDocumentId(documentId)) throw new NotFoundError('Not Found')
  const { database } = context.documents
  const all = await getAllVersions(database, plan, documentId)
  const verb = singleReadVerb(plan)
  const asked = { plan, documentIds: [documentId], locale: defaultLocale, verb }
  const seen = hasReadRules(rules, plan, verb)
    ? await visibleVersions({ database }, rules, asked)
    : null
  const versions = all.filter((version) => isChecked(version, all))
  const visible = versions.filter((version) => seen?.has(version) ?? true)
  const stored = locales.filter((code) => visible.some(({ locale }) => locale === code))
  if (stored.length === 0 || (kind !== 'every' && stored.length < locales.length)) {
    throw new NotFoundError('Not Found')
  }
  const items = stored.map((locale) => ({
    id: locale,
    type: plan.uid,
    documentId,
    locale,
    action: 'publish' as const,
  }))
  const faults = await checkItems(context, null, items, rules)
  return faults.map(({ item: locale, name, code, message, details }) => ({
    ...(locale !== NO_LOCALE && { locale }),
    name,
    code,
    message,
    details,
  }))
}

/** A publication takes the draft, or else the published version. */
function isChecked(version: StoredVersion, all: readonly StoredVersion[]): boolean {
  const hasDraft = all.some(({ locale, status }) => locale === version.locale && status === 'draft')
  return version.status === (hasDraft ? 'draft' : 'published')
}
