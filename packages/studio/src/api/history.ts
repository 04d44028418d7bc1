import type { TextRun } from '@quire/merge/compare-texts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ActedOn } from './entry-facts.ts'
import { factsKey } from './entry-facts.ts'
import { type Answer, request } from './request.ts'

/** `name` is null for app users, and if the request did not ask for names. */
export interface Author {
  readonly kind: string
  readonly id: string | number | null
  readonly name: string | null
}

export interface PastVersion {
  /** One commit can write several versions, and one revision can belong to several commits. */
  readonly commit: string
  readonly revision: string | null
  readonly at: string
  readonly by: Author
  readonly op: 'put' | 'delete'
  readonly status: 'draft' | 'published'
  readonly requestId: string | null
  readonly isNew?: true
  readonly via?: 'restore'
  /** The attributes that differ from the previous version, if they were requested and are known. */
  readonly changed?: readonly string[]
}

export interface AttributeChange {
  readonly attribute: string
  readonly from: unknown
  readonly to: unknown
  /** Absent if the texts are too long to compare word by word. */
  readonly words?: readonly TextRun[]
}

interface PageMeta {
  readonly pagination: { readonly nextCursor: string | null }
}

const path = ({ uid, documentId }: ActedOn, ...rest: readonly string[]): string =>
  ['/admin/history', ...[uid, documentId, ...rest].map(encodeURIComponent)].join('/')

export type HistoryAnswer = Answer<readonly PastVersion[], PageMeta>

/** A write can give the versions of several locales the same revision. */
const localeOf = ({ locale }: ActedOn): { readonly locale?: string } =>
  locale === null ? {} : { locale }

/** The last write of a version. Null for a version without writes. @throws ApiError */
export async function findLastVersion(
  entry: ActedOn,
  status: PastVersion['status'],
): Promise<PastVersion | null> {
  const query = { ...localeOf(entry), status, pagination: { pageSize: 1 } }
  const { data } = await request<readonly PastVersion[]>('GET', path(entry), { query })
  return data[0] ?? null
}

export const historyQuery = (entry: ActedOn) => pagesOfHistory(entry, false)

/** With the changed attributes of each version, which cost the server more. Always read again. */
export const changedHistoryQuery = (entry: ActedOn) => pagesOfHistory(entry, true)

const pagesOfHistory = (entry: ActedOn, withChanges: boolean) =>
  infiniteQueryOptions({
    queryKey: [
      ...factsKey(entry.uid, entry.documentId),
      withChanges ? 'changed-history' : 'history',
      entry.locale,
    ],
    queryFn: ({ signal, pageParam }) =>
      request<readonly PastVersion[], PageMeta>('GET', path(entry), {
        query: {
          ...localeOf(entry),
          ...(withChanges && { changes: true }),
          pagination: {
            pageSize: withChanges ? 50 : 25,
            ...(pageParam !== null && { cursor: pageParam }),
          },
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.pagination.nextCursor,
    retry: false,
    ...(withChanges && { staleTime: 0, gcTime: 0 }),
  })

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

/** Writes an old revision, or some of its attributes, to the draft. @throws ApiError */
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
