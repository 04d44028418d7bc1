import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ActedOn } from './entry-facts.ts'
import { factsKey } from './entry-facts.ts'
import { type Answer, request } from './request.ts'

/** Who has changed something; the name is null where nobody asked for it, or an app's user did. */
export interface Author {
  readonly kind: string
  readonly id: string | number | null
  readonly name: string | null
}

/** One write of one version of an entry. */
export interface PastVersion {
  /** The commit that wrote it: several versions may be of one commit, and one revision of several commits. */
  readonly commit: string
  /** Null where the version was removed. */
  readonly revision: string | null
  readonly at: string
  readonly by: Author
  readonly op: 'put' | 'delete'
  readonly status: 'draft' | 'published'
}

export interface WordRun {
  readonly op: 'same' | 'added' | 'removed'
  readonly text: string
}

/** An attribute that differs between two revisions. */
export interface AttributeChange {
  readonly attribute: string
  readonly from: unknown
  readonly to: unknown
  /** Of two texts, unless they are very long. */
  readonly words?: readonly WordRun[]
}

interface PageMeta {
  readonly pagination: { readonly nextCursor: string | null }
}

const path = ({ uid, documentId }: ActedOn, ...rest: readonly string[]): string =>
  ['/admin/history', ...[uid, documentId, ...rest].map(encodeURIComponent)].join('/')

/** A page of the history. */
export type HistoryAnswer = Answer<readonly PastVersion[], PageMeta>

/** One write may give versions of several locales the same revision. */
const localeOf = ({ locale }: ActedOn): { readonly locale?: string } =>
  locale === null ? {} : { locale }

/** The newest first; empty for types that keep no history. */
export const historyQuery = (entry: ActedOn) =>
  infiniteQueryOptions({
    queryKey: [...factsKey(entry.uid, entry.documentId), 'history', entry.locale],
    queryFn: ({ signal, pageParam }) =>
      request<readonly PastVersion[], PageMeta>('GET', path(entry), {
        query: {
          ...localeOf(entry),
          pagination: { pageSize: 25, ...(pageParam !== null && { cursor: pageParam }) },
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.pagination.nextCursor,
    retry: false,
  })

/** What differs between two revisions; never changes. */
export const differenceQuery = (entry: ActedOn, from: string, to: string) =>
  queryOptions({
    queryKey: ['difference', entry.uid, entry.documentId, entry.locale, from, to],
    queryFn: async ({ signal }) => {
      const query = { from, to, ...localeOf(entry) }
      const answer = await request<{ readonly changes: readonly AttributeChange[] }>(
        'GET',
        path(entry, 'diff'),
        { query, signal },
      )
      return answer.data.changes
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Makes the draft what it was, or some of its attributes. @throws ApiError */
export async function restoreRevision(
  entry: ActedOn,
  revision: string,
  {
    attributes,
    etag,
  }: { readonly attributes: readonly string[] | null; readonly etag: string | null },
): Promise<void> {
  await request('POST', path(entry, revision, 'restore'), {
    query: localeOf(entry),
    body: attributes === null ? {} : { attributes },
    ...(etag !== null && { ifMatch: etag }),
  })
}
