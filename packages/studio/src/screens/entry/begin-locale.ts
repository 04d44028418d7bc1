import type { Data } from '../../entry/data.ts'
import type { FormPlan } from '../../entry/form-plan.ts'
import { contentPath } from '../../api/entries.ts'
import { request } from '../../api/request.ts'
import { changedData } from '../../entry/payload.ts'
import { toFormValues } from '../../entry/values.ts'
import { generateSlug } from '../../fields/uid/generate-slug.ts'
import { findEntry } from './load-form.ts'

/**
 * Creates the locale of `plan` from the localized values of another one; shared values already
 * exist. Does nothing if the entry has the locale in the meantime.
 * @throws ApiError
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

/** Without drafts, an entry must be complete from the start. */
export function mayBeginEmpty({ type, attributes }: FormPlan): boolean {
  if (type.draftAndPublish) return true
  return Object.values(attributes).every(
    ({ required, localized }) => required !== true || localized === false,
  )
}

async function dataOf(plan: FormPlan, documentId: string, from: string): Promise<Data> {
  const { attributes, components, reading } = plan
  const source = { ...plan, query: { ...plan.query, locale: from } }
  const found = await findEntry(source, documentId)
  if (found === null) return {}
  const own = Object.fromEntries(
    Object.entries(attributes).filter(([, { localized }]) => localized !== false),
  )
  const empty = toFormValues(own, {}, reading)
  const data = changedData(own, empty, toFormValues(own, found.entry, reading), components)
  return { ...data, ...(await slugsOf(plan, documentId, data)) }
}

/** A translation gets slugs from its own titles. @throws ApiError */
async function slugsOf(plan: FormPlan, documentId: string, data: Data): Promise<Data> {
  const { type, locale, attributes } = plan
  const slugs: Record<string, string> = {}
  for (const [field, attribute] of Object.entries(attributes)) {
    const target = attribute.type === 'uid' ? attribute.targetField : undefined
    const text = target === undefined ? undefined : data[target]
    if (target === undefined || typeof text !== 'string' || data[field] === undefined) continue
    slugs[field] = await generateSlug({ uid: type.uid, field, documentId, locale }, target, text)
  }
  return slugs
}
