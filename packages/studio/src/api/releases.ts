import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { EntryState } from './entries.ts'
import { request, type SentError } from './request.ts'
import { schedulesRefreshMs, type PlannedAction, type Schedule } from './schedules.ts'

export interface ReleaseSummary {
  readonly id: string
  readonly name: string
  readonly state: 'open' | 'scheduled' | 'published'
  readonly count: number
  readonly schedule: Schedule | null
  readonly publishedAt: string | null
}

export interface ReleaseItem {
  readonly id: string
  readonly uid: string
  readonly documentId: string
  readonly locale?: string
  readonly action: PlannedAction
  readonly title: string
  /** Null if the entry is deleted or the user may not read it. */
  readonly state: EntryState | null
}

export interface Release extends ReleaseSummary {
  readonly items: readonly ReleaseItem[]
}

export interface ItemFault extends SentError {
  readonly item: string
}

interface PageMeta {
  readonly pagination: { readonly nextCursor: string | null }
}

export const releasePagesQuery = infiniteQueryOptions({
  queryKey: ['releases', 'pages'],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam, signal }) => {
    const pagination = pageParam === null ? {} : { cursor: pageParam }
    return request<readonly ReleaseSummary[], PageMeta>('GET', '/admin/releases', {
      query: { pagination },
      signal,
    })
  },
  getNextPageParam: ({ meta }) => meta.pagination.nextCursor,
})

export const releasesQuery = queryOptions({
  queryKey: ['releases'],
  queryFn: async ({ signal }) =>
    (await request<readonly ReleaseSummary[]>('GET', '/admin/releases', { signal })).data,
})

export const releaseQuery = (id: string) =>
  queryOptions({
    queryKey: ['releases', id],
    queryFn: async ({ signal }) => (await request<Release>('GET', pathOf(id), { signal })).data,
  })

export type HoldingRelease = ReleaseSummary & Pick<Release, 'items'>

export const entryReleasesQuery = (uid: string, documentId: string) =>
  queryOptions({
    queryKey: ['releases', 'of', uid, documentId],
    queryFn: async ({ signal }) => {
      const query = { uid, documentId }
      const path = '/admin/releases'
      return (await request<readonly HoldingRelease[]>('GET', path, { query, signal })).data
    },
    refetchInterval: ({ state }) => {
      const planned = (state.data ?? []).flatMap(({ schedule }) => schedule ?? [])
      return schedulesRefreshMs(planned, Date.now())
    },
  })

export async function createRelease(name: string): Promise<Release> {
  return (await request<Release>('POST', '/admin/releases', { body: { data: { name } } })).data
}

export async function deleteRelease(id: string): Promise<void> {
  await request('DELETE', pathOf(id))
}

export type NewItem = Pick<ReleaseItem, 'uid' | 'documentId' | 'action'> & {
  readonly locale: string | null
}

export async function addToRelease(id: string, items: readonly NewItem[]): Promise<Release> {
  const body = { data: { items } }
  return (await request<Release>('POST', `${pathOf(id)}/items`, { body })).data
}

export async function removeFromRelease(id: string, item: string): Promise<void> {
  await request('DELETE', `${pathOf(id)}/items/${encodeURIComponent(item)}`)
}

export async function checkRelease(id: string): Promise<readonly ItemFault[]> {
  const { data } = await request<{ readonly faults: readonly ItemFault[] }>(
    'POST',
    `${pathOf(id)}/check`,
  )
  return data.faults
}

export async function publishRelease(id: string, at: string | null): Promise<void> {
  await request('POST', `${pathOf(id)}/actions/publish`, {
    ...(at !== null && { body: { data: { at } } }),
  })
}

function pathOf(id: string): string {
  return `/admin/releases/${encodeURIComponent(id)}`
}
