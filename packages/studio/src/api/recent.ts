import { queryOptions } from '@tanstack/react-query'
import type { EntryState } from './entries.ts'
import { request } from './request.ts'
import type { Webhook } from './webhooks.ts'

export interface RecentEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly state: EntryState
  readonly at: string
  /** The name of the last editor. Null if it is unknown. */
  readonly by: string | null
  /** The address of a thumbnail. */
  readonly picture: string | null
}

/** An open comment that mentions the user, or is on an entry that the user changed. */
export interface InboxItem {
  readonly id: string
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly text: string
  readonly by: string
  readonly at: string
  readonly mentioned: boolean
}

/** An unpublished draft that is assigned to the user. */
export interface WaitingReview {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly stage: string
  readonly at: string
}

export type FailedWebhook = Pick<Webhook, 'id' | 'name' | 'url' | 'missed'>

export interface FirstStep {
  readonly step: 'type' | 'entry' | 'publish' | 'app' | 'media'
  readonly done: boolean
}

export interface Recent {
  readonly mine: readonly RecentEntry[]
  readonly differing: readonly RecentEntry[]
  readonly inbox: readonly InboxItem[]
  readonly reviews: readonly WaitingReview[]
  readonly webhooks: readonly FailedWebhook[]
  /** Empty if they are done or put away. */
  readonly steps: readonly FirstStep[]
}

export const recentQuery = queryOptions({
  queryKey: ['content', 'recent'],
  queryFn: async ({ signal }) => (await request<Recent>('GET', '/admin/recent', { signal })).data,
})

export async function showFirstSteps(isShown: boolean): Promise<void> {
  const value = isShown ? null : 'away'
  await request('PUT', '/admin/me/preferences/firstSteps', { body: { value } })
}
