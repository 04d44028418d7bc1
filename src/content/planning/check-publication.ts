import { NotFoundError } from '../../base/errors.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import type { ActionLocales } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { checkItems, type ItemFault } from './check-items.ts'
import type { PlanningContext } from './planning.ts'

export type PublicationFault = Pick<ItemFault, 'name' | 'code' | 'message' | 'details'> & {
  readonly locale?: string
}

/** Returns at most one row per locale. @throws NotFoundError for a missing document or requested locale */
export async function checkPublication(
  context: Pick<PlanningContext, 'documents' | 'schema'>,
  plan: ContentTypePlan,
  documentId: string,
  { kind, locales }: ActionLocales,
): Promise<readonly PublicationFault[]> {
  if (!isDocumentId(documentId)) throw new NotFoundError('Not Found')
  const versions = await getAllVersions(context.documents.database, plan, documentId)
  const stored = locales.filter((code) => versions.some(({ locale }) => locale === code))
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
  const faults = await checkItems(context, null, items)
  return faults.map(({ item: locale, name, code, message, details }) => ({
    ...(locale !== NO_LOCALE && { locale }),
    name,
    code,
    message,
    details,
  }))
}
