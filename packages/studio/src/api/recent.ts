import { queryOptions } from '@tanstack/react-query'
import type { EntryState } from './entries.ts'
import { request } from './request.ts'

export interface RecentEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly state: EntryState
  readonly at: string
}

export interface Recent {
  readonly mine: readonly RecentEntry[]
  readonly differing: readonly RecentEntry[]
}

export const recentQuery = queryOptions({
  queryKey: ['content', 'recent'],
  queryFn: async ({ signal }) => (await request<Recent>('GET', '/admin/recent', { signal })).data,
})
