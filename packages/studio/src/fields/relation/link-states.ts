import { useQueries } from '@tanstack/react-query'
import { useTypes } from '../../api/content-types.ts'
import { entriesQuery, type EntryState, type ListMeta } from '../../api/entries.ts'
import type { Link } from '../../entry/values.ts'

/** Keeps the request URL short. */
const STATES_PER_REQUEST = 50

/** The states of entries by documentId, with one request for 50 entries. */
export function useLinkStates(
  uid: string,
  links: readonly Link[],
  locale: string | null,
): Readonly<Record<string, EntryState>> {
  const type = useTypes().find((one) => one.uid === uid)
  const isAsked = type?.draftAndPublish === true
  const ids = links.map(({ documentId }) => documentId).toSorted()
  const parts = Array.from({ length: Math.ceil(ids.length / STATES_PER_REQUEST) }, (_, at) =>
    ids.slice(at * STATES_PER_REQUEST, (at + 1) * STATES_PER_REQUEST),
  )
  return useQueries({
    queries: (isAsked ? parts : []).map((part) => ({
      ...entriesQuery(uid, {
        filters: { documentId: { $in: part } },
        fields: ['documentId'],
        pagination: { pageSize: STATES_PER_REQUEST, withCount: false },
        status: 'draft',
        ...(type?.localized === true && locale !== null && { locale }),
      }),
      placeholderData: (before: unknown) => before as never,
    })),
    combine: statesOf,
  })
}

function statesOf(
  answers: readonly { readonly data?: { readonly meta: ListMeta } | undefined }[],
): Readonly<Record<string, EntryState>> {
  return Object.assign({}, ...answers.map(({ data }) => data?.meta.states)) as Readonly<
    Record<string, EntryState>
  >
}
