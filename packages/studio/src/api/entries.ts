import { queryOptions } from '@tanstack/react-query'
import { request, type QueryValue } from './request.ts'
import { atOnce, type Turn } from './in-turns.ts'

export const ENTRY_STATES = ['draft', 'published', 'changed'] as const

export type EntryState = (typeof ENTRY_STATES)[number]

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
  readonly states?: Readonly<Record<string, EntryState>>
  /** Absent for types without a review. */
  readonly stages?: Readonly<Record<string, string>>
  /** Absent unless the query asks for them. */
  readonly authors?: Readonly<Record<string, Readonly<Record<AuthorMember, EntryAuthor | null>>>>
}

export interface Person {
  readonly id: string
  readonly name: string
}

export interface EntryAuthor {
  readonly kind: string
  readonly id: string | number
  /** Null for removed authors. End users have one only with the permission to find them. */
  readonly name: string | null
}

export const AUTHOR_MEMBERS = ['createdBy', 'updatedBy'] as const

export type AuthorMember = (typeof AUTHOR_MEMBERS)[number]

/** Every collection has an index on this key, so 135,000 entries sort as fast as ten. */
export const NEWEST_FIRST = 'id:desc'

export type ListQuery = Readonly<Record<string, QueryValue>>

export function contentPath(uid: string, ...rest: readonly string[]): string {
  return ['/admin/content', ...[uid, ...rest].map(encodeURIComponent)].join('/')
}

export const entriesQuery = (uid: string, query: ListQuery, inTurn: Turn = atOnce) =>
  queryOptions({
    queryKey: ['content', uid, 'list', query],
    queryFn: ({ signal }) =>
      inTurn(
        () => request<readonly Entry[], ListMeta>('GET', contentPath(uid), { query, signal }),
        signal,
      ),
  })

/** Administrators with the right to read the type. */
export const peopleQuery = (uid: string) =>
  queryOptions({
    queryKey: ['content', uid, 'people'],
    queryFn: async ({ signal }) =>
      (await request<readonly Person[]>('GET', contentPath(uid, 'people'), { signal })).data,
  })

export interface TitlesRequest {
  readonly uid: string
  readonly documentIds: readonly string[]
  readonly titleField: string | null
  readonly locale: string | null
}

/** The page size limit of the API. */
const MAX_TITLES = 100

export const titlesQuery = ({ uid, documentIds, titleField, locale }: TitlesRequest) =>
  queryOptions({
    queryKey: ['content', uid, 'titles', locale, documentIds],
    queryFn: async ({ signal }) => {
      const query = {
        ...(locale !== null && { locale }),
        filters: { documentId: { $in: documentIds.slice(0, MAX_TITLES) } },
        fields: [titleField ?? 'documentId'],
        pagination: { pageSize: MAX_TITLES, withCount: false },
      }
      const { data } = await request<readonly Entry[]>('GET', contentPath(uid), { query, signal })
      return new Map(data.map((entry) => [entry.documentId, titleOf(entry, titleField)]))
    },
    enabled: documentIds.length > 0,
  })

export function titleOf(entry: Entry, titleField: string | null): string {
  const title = titleField === null ? null : entry[titleField]
  if (typeof title === 'number') return String(title)
  return typeof title === 'string' && title !== '' ? title : entry.documentId.slice(0, 8)
}
