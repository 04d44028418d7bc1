import { contentPath } from '../../api/entries.ts'
import { request } from '../../api/request.ts'
import { changedData } from '../../entry/payload.ts'
import { toFormValues } from '../../entry/values.ts'
import { findEntry, type FormPlan } from './load-form.ts'

/**
 * Begins the locale of `plan` with what another has of its own; what all locales share is there already. An entry that got this
 * locale meanwhile is left as it is. @throws ApiError
 */
export async function beginLocale(
  plan: FormPlan,
  documentId: string,
  from: string | null,
): Promise<void> {
  const { type, locale } = plan
  if (locale === null) return
  const data = from === null ? {} : await dataOf(plan, documentId, from)
  await request('PUT', contentPath(type.uid, documentId), {
    query: { locale, status: 'draft' },
    body: { data },
    ifNoneMatch: '*',
  })
}

async function dataOf(plan: FormPlan, documentId: string, from: string): Promise<object> {
  const { attributes, components, reading } = plan
  const source = { ...plan, query: { ...plan.query, locale: from } }
  const found = await findEntry(source, documentId)
  if (found === null) return {}
  const own = Object.fromEntries(
    Object.entries(attributes).filter(([, { localized }]) => localized !== false),
  )
  const empty = toFormValues(own, {}, reading)
  return changedData(own, empty, toFormValues(own, found.entry, reading), components)
}
