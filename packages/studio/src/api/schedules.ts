import { queryOptions } from '@tanstack/react-query'
import { contentPath } from './entries.ts'
import { type Answer, request, type SentError } from './request.ts'

export type PlannedAction = 'publish' | 'unpublish'

export interface Schedule {
  readonly id: string
  readonly kind: 'document' | 'release'
  readonly action?: PlannedAction
  readonly uid?: string
  readonly documentId?: string
  readonly locales?: readonly string[]
  readonly title: string
  readonly at: string
  readonly state: 'waiting' | 'failed'
  readonly nextAttemptAt: string | null
  readonly failure: SentError | null
  readonly by: { readonly kind: string; readonly name: string | null }
}

/** Interval at which open lists refresh. */
export const SCHEDULES_REFRESH_MS = 15_000

/** Minimum delay after the due time before the Studio asks for the result. */
const MIN_REFRESH_MS = 1_000

/**
 * Refreshes when the next schedule is due. A long overdue schedule means that the clocks differ;
 * then the usual interval applies.
 */
export function schedulesRefreshMs(
  schedules: readonly Schedule[] | undefined,
  now: number,
): number {
  const waits = (schedules ?? [])
    .filter(({ state }) => state === 'waiting')
    .map(({ at }) => Date.parse(at) - now + MIN_REFRESH_MS)
    .filter((wait) => wait > -SCHEDULES_REFRESH_MS)
  return Math.max(MIN_REFRESH_MS, Math.min(SCHEDULES_REFRESH_MS, ...waits))
}

interface PageMeta {
  readonly pagination: { readonly nextCursor: string | null }
}

export interface Planned {
  readonly schedules: readonly Schedule[]
  readonly isWhole: boolean
}

const MAX_SCHEDULES = 2_000

export const schedulesQuery = (from: string, until: string) =>
  queryOptions({
    queryKey: ['schedules', from, until],
    queryFn: async ({ signal }): Promise<Planned> => {
      const schedules: Schedule[] = []
      let cursor: string | null = null
      do {
        const query = { from, until, ...(cursor !== null && { pagination: { cursor } }) }
        const page: Answer<readonly Schedule[], PageMeta> = await request(
          'GET',
          '/admin/schedules',
          { query, signal },
        )
        schedules.push(...page.data)
        cursor = page.meta.pagination.nextCursor
      } while (cursor !== null && schedules.length < MAX_SCHEDULES)
      return { schedules, isWhole: cursor === null }
    },
    refetchInterval: SCHEDULES_REFRESH_MS,
  })

/** Pending schedules, and all failed ones. */
export const allSchedulesQuery = queryOptions({
  queryKey: ['schedules', 'all'],
  queryFn: async ({ signal }) =>
    (await request<readonly Schedule[]>('GET', '/admin/schedules', { signal })).data,
  refetchInterval: SCHEDULES_REFRESH_MS,
})

export const entrySchedulesQuery = (uid: string, documentId: string) =>
  queryOptions({
    queryKey: ['schedules', uid, documentId],
    queryFn: async ({ signal }) => {
      const query = { uid, documentId }
      return (await request<readonly Schedule[]>('GET', '/admin/schedules', { query, signal })).data
    },
    refetchInterval: ({ state }) => schedulesRefreshMs(state.data, Date.now()),
  })

export interface NewSchedule {
  readonly uid: string
  readonly documentId: string
  /** Null for a type without languages, `*` for all languages. Several are separated by commas. */
  readonly locale: string | null
  readonly action: PlannedAction
  readonly at: string
}

/** Returns the id. */
export async function addSchedule({
  uid,
  documentId,
  locale,
  action,
  at,
}: NewSchedule): Promise<string> {
  const query = locale === null ? {} : { locale }
  const path = contentPath(uid, documentId, 'actions', action)
  const body = { data: { at } }
  return (await request<Pick<Schedule, 'id'>>('POST', path, { query, body })).data.id
}

export async function cancelSchedule(id: string): Promise<void> {
  await request('DELETE', `/admin/schedules/${encodeURIComponent(id)}`)
}

/** Keeps the id, the action and the languages. */
export async function moveSchedule(id: string, at: string): Promise<void> {
  await request('PUT', `/admin/schedules/${encodeURIComponent(id)}`, { body: { data: { at } } })
}

export async function retrySchedule(id: string): Promise<void> {
  await request('POST', `/admin/schedules/${encodeURIComponent(id)}/actions/retry`)
}
