import { queryOptions } from '@tanstack/react-query'
import type { EntryState } from './entries.ts'
import { request } from './request.ts'

/** An entry that was edited recently. */
export interface RecentEntry {
  readonly uid: string
  readonly documentId: string
  /** Null where its type has none. */
  readonly locale: string | null
  readonly title: string
  readonly state: EntryState
  readonly at: string
}

export interface Recent {
  /** What the person worked on, the latest first. */
  readonly mine: readonly RecentEntry[]
  /** What anybody worked on lately that apps do not see yet. */
  readonly differing: readonly RecentEntry[]
}

export const recentQuery = queryOptions({
  queryKey: ['content', 'recent'],
  queryFn: async ({ signal }) => (await request<Recent>('GET', '/admin/recent', { signal })).data,
})
