import { useQuery } from '@tanstack/react-query'
import type { FormPlan } from '../../entry/form-plan.ts'
import { entriesQuery, titleOf } from '../../api/entries.ts'
import type { Attribute } from '../../api/attributes.ts'

const MAX_READ_TITLES = 100

/** The titles of related entries that exist and are visible. History only has their ids. */
export function useLinkTitles(
  { reading, locale }: FormPlan,
  attribute: Attribute | undefined,
  values: readonly unknown[],
): ReadonlyMap<string, string> {
  const target = attribute?.type === 'relation' ? attribute.target : ''
  const titleField = reading.titleFieldOf(target)
  const ids = [...new Set(values.flat().filter((one) => typeof one === 'string'))].slice(
    0,
    MAX_READ_TITLES,
  )
  const isAsked = target.startsWith('api::') && titleField !== null && ids.length > 0
  const { data } = useQuery({
    ...entriesQuery(target, {
      filters: { documentId: { $in: ids } },
      fields: [titleField ?? 'documentId'],
      status: 'draft',
      pagination: { pageSize: MAX_READ_TITLES, withCount: false },
      ...(locale !== null && { locale }),
    }),
    enabled: isAsked,
    retry: false,
  })
  return new Map((data?.data ?? []).map((entry) => [entry.documentId, titleOf(entry, titleField)]))
}
