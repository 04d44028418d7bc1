import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { CommitItem } from '../../mongo/connection/database.ts'
import { REVIEW_TYPE } from '../../content/review/review.ts'

export const EVENTS = [
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

export type WebhookEvent = (typeof EVENTS)[number]

export const TEST_EVENT = 'trigger-test'

export const FILE = 'plugin::upload.file'

export interface Subscription {
  readonly events: readonly WebhookEvent[]
  readonly types: readonly string[] | null
  /** Null for every locale. Content without a locale always matches. */
  readonly locales: readonly string[] | null
}

/** The item as a change of content: a change of a review is one of the draft. */
export function changedContent(item: CommitItem): CommitItem & { readonly isReview: boolean } {
  const { type, entryType } = item
  return type === REVIEW_TYPE && entryType !== undefined
    ? { ...item, type: entryType, status: 'draft', isReview: true }
    : { ...item, isReview: false }
}

export function eventOf(
  item: Pick<CommitItem, 'type' | 'status' | 'op' | 'isNew' | 'lost'> & {
    readonly isReview?: boolean
  },
  plan: Pick<ContentTypePlan, 'draftAndPublish'> | undefined,
): WebhookEvent | null {
  if (item.lost === true) return null
  if (item.type === FILE) return `media.${changeOf(item)}`
  if (plan === undefined || !item.type.startsWith('api::')) return null
  if (item.isReview === true) return 'entry.review'
  if (!plan.draftAndPublish || item.status === 'draft') return `entry.${changeOf(item)}`
  return item.op === 'put' ? 'entry.publish' : 'entry.unpublish'
}

export function wants(
  { events, types, locales }: Subscription,
  event: WebhookEvent,
  { type, locale }: Pick<CommitItem, 'type' | 'locale'>,
): boolean {
  return (
    events.includes(event) &&
    (type === FILE || types === null || types.includes(type)) &&
    (locale === NO_LOCALE || locales === null || locales.includes(locale))
  )
}

function changeOf({ op, isNew }: Pick<CommitItem, 'op' | 'isNew'>) {
  if (op === 'delete') return 'delete'
  return isNew === true ? 'create' : 'update'
}
