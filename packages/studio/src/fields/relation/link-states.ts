import { useQuery } from '@tanstack/react-query'
import { useTypes } from '../../api/content-types.ts'
import { entriesQuery, type EntryState } from '../../api/entries.ts'
import type { Link } from '../../entry/values.ts'

/** How each of these entries stands, by documentId: one request for all of them. */
export function useLinkStates(
  uid: string,
  links: readonly Link[],
  locale: string | null,
): Readonly<Record<string, EntryState>> {
  const type = useTypes().find((one) => one.uid === uid)
  const ids = links.map(({ documentId }) => documentId).toSorted()
  const isAsked = type?.draftAndPublish === true && ids.length > 0
  const query = {
    ...entriesQuery(uid, {
      filters: { documentId: { $in: ids } },
      fields: ['documentId'],
      pagination: { pageSize: 100, withCount: false },
      status: 'draft',
      ...(type?.localized === true && locale !== null && { locale }),
    }),
    enabled: isAsked,
    placeholderData: (before: unknown) => before as never,
  }
  return useQuery(query).data?.meta.states ?? {}
}
