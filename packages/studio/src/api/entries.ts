import { queryOptions } from '@tanstack/react-query'
import type { QueryValue } from './query-string.ts'
import { atOnce, type Turn } from './in-turns.ts'
import { request } from './request.ts'

/** Never published, published as it is, or changed since. */
export const ENTRY_STATES = ['draft', 'published', 'changed'] as const

export type EntryState = (typeof ENTRY_STATES)[number]

/** An entry as lists and forms get it; what else it has depends on its type. */
export interface Entry {
  readonly documentId: string
  readonly locale?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly publishedAt: string | null
  readonly [attribute: string]: unknown
}

export interface ListMeta {
  readonly pagination: {
    readonly pageSize: number
    readonly total?: number
    readonly nextCursor?: string | null
  }
  /** By documentId. */
  readonly states?: Readonly<Record<string, EntryState>>
}

/** By the key that every collection has in order: 135,000 entries are as quick as ten. */
export const NEWEST_FIRST = 'id:desc'

export type ListQuery = Readonly<Record<string, QueryValue>>

/** `/admin/content/<uid>/<documentId>…`. */
export function contentPath(uid: string, ...rest: readonly string[]): string {
  return ['/admin/content', ...[uid, ...rest].map(encodeURIComponent)].join('/')
}

/** A page of a type's entries. */
export const entriesQuery = (uid: string, query: ListQuery, inTurn: Turn = atOnce) =>
  queryOptions({
    queryKey: ['content', uid, 'list', query],
    queryFn: ({ signal }) =>
      inTurn(
        () => request<readonly Entry[], ListMeta>('GET', contentPath(uid), { query, signal }),
        signal,
      ),
  })

export interface Named {
  readonly uid: string
  readonly documentIds: readonly string[]
  readonly titleField: string | null
  readonly locale: string | null
}

/** A page takes no more. */
const MOST_NAMED = 100

/** What entries are called that may stand on any page, by documentId; of many the first hundred. */
export const titlesQuery = ({ uid, documentIds, titleField, locale }: Named) =>
  queryOptions({
    queryKey: ['content', uid, 'titles', locale, documentIds],
    queryFn: async ({ signal }) => {
      const query = {
        ...(locale !== null && { locale }),
        filters: { documentId: { $in: documentIds.slice(0, MOST_NAMED) } },
        fields: [titleField ?? 'documentId'],
        pagination: { pageSize: MOST_NAMED, withCount: false },
      }
      const { data } = await request<readonly Entry[]>('GET', contentPath(uid), { query, signal })
      return new Map(data.map((entry) => [entry.documentId, titleOf(entry, titleField)]))
    },
    enabled: documentIds.length > 0,
  })

/** What an entry is called; the beginning of its documentId where it has no title yet. */
export function titleOf(entry: Entry, titleField: string | null): string {
  const title = titleField === null ? null : entry[titleField]
  if (typeof title === 'number') return String(title)
  return typeof title === 'string' && title !== '' ? title : entry.documentId.slice(0, 8)
}
