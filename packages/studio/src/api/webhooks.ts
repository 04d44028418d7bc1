import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { at, manage } from './management.ts'
import { request } from './request.ts'

export const WEBHOOK_EVENTS = [
  'entry.create',
  'entry.update',
  'entry.delete',
  'entry.publish',
  'entry.unpublish',
  'entry.review',
  'media.create',
  'media.update',
  'media.delete',
] as const

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export interface WebhookInput {
  readonly name: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** Null: all types, all locales. */
  readonly types: readonly string[] | null
  readonly locales: readonly string[] | null
  readonly body: 'strapi' | 'thin'
  readonly ordered: boolean
  /** By name. Null keeps the stored value, which no response contains. */
  readonly headers: Readonly<Record<string, string | null>>
}

export interface Webhook extends WebhookInput {
  readonly id: string
  readonly enabled: boolean
  /** `gone`: the receiver responded with 410. */
  readonly disabledBecause: 'administrator' | 'gone' | null
  readonly secretCount: number
  /** Commits that the log had already dropped when the webhook reached them. */
  readonly missed: { readonly from: number; readonly to: number } | null
}

/** The server returns the signing secret only once. */
export interface WithSecret extends Webhook {
  readonly secret: string
}

export interface Attempt {
  readonly status: number | null
  readonly error: 'address_refused' | 'redirect' | 'status' | 'timeout' | 'unreachable' | null
  readonly ms: number
}

interface LastAttempt extends Attempt {
  /** Why the message had no content: the rights of the creator of the webhook. */
  readonly withheld?: 'rules' | 'permission' | 'creator' | null
}

export const DELIVERY_STATES = ['due', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface Delivery {
  readonly id: string
  readonly event: WebhookEvent
  readonly seq: number
  readonly at: string
  readonly type: string
  readonly documentId: string
  readonly locale: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly last: LastAttempt | null
  readonly nextAttemptAt: string | null
}

/** The interval at which open deliveries refresh. */
export const WEBHOOKS_REFRESH_MS = 5_000

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) =>
    (await request<readonly Webhook[]>('GET', '/admin/webhooks', { signal })).data,
})

/** Newest first. Refreshes while it is shown. */
export const deliveriesQuery = (id: string, state: DeliveryState | null) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', id, state],
    queryFn: ({ signal, pageParam }) =>
      request<readonly Delivery[], { readonly next: string | null }>(
        'GET',
        at('webhooks', id, 'deliveries'),
        {
          query: {
            ...(state !== null && { state }),
            ...(pageParam !== null && { before: pageParam }),
          },
          signal,
        },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next,
    refetchInterval: WEBHOOKS_REFRESH_MS,
  })

/** @throws ApiError */
export function saveWebhook(
  id: string | null,
  body: Partial<WebhookInput> & { readonly enabled?: boolean },
): Promise<Webhook & Partial<WithSecret>> {
  return id === null
    ? manage('POST', '/admin/webhooks', body)
    : manage('PUT', at('webhooks', id), body)
}

export function rotateSecret(id: string): Promise<WithSecret> {
  return manage('POST', at('webhooks', id, 'rotate'))
}

export function endRotation(id: string): Promise<Webhook> {
  return manage('DELETE', at('webhooks', id, 'previous-secret'))
}

export function testWebhook(id: string): Promise<Attempt> {
  return manage('POST', at('webhooks', id, 'test'))
}

export function replayWebhook(id: string, from: number, to: number | null): Promise<Webhook> {
  return manage('POST', at('webhooks', id, 'replay'), { from, ...(to !== null && { to }) })
}

export function removeWebhook(id: string): Promise<Webhook> {
  return manage('DELETE', at('webhooks', id))
}
