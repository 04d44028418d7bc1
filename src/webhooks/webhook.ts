import type { Author } from '../mongo/connection/authorship.ts'
import type { Database } from '../mongo/connection/database.ts'
import { ensureHead } from '../mongo/commits/heads.ts'
import { ensureIndexes } from '../mongo/system/system-collections.ts'
import type { Subscription } from './events.ts'

/** A webhook as it is stored. */
export interface WebhookRow extends Subscription {
  readonly _id: string
  readonly name: string
  readonly url: string
  readonly body: 'strapi' | 'thin'
  /** Whether the events of one document are delivered in their order. */
  readonly ordered: boolean
  /** The newest first; two while one takes the place of the other. */
  readonly secrets: readonly string[]
  /** Commits up to this number have been made into deliveries. */
  readonly cursor: number
  /** Commits whose events are to be delivered again: those after `after`, up to `to`. */
  readonly replay: { readonly after: number; readonly to: number } | null
  /** Commits that the log no longer held when it came to them, the last time; null where there were none. */
  readonly missed: Missed | null
  /** Null while it works. */
  readonly disabledAt: Date | null
  /** `gone`: its receiver answered 410. */
  readonly disabledBecause: 'administrator' | 'gone' | null
  /** Who created it: payloads show what this author may find when they are sent. Absent in rows of before. */
  readonly by?: Author
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Numbers of commits, both included, and when they were found to be gone. */
export interface Missed {
  readonly from: number
  readonly to: number
  readonly at: Date
}

/** What the log calls them. */
export const WEBHOOK_TYPE = 'admin::webhook'

export const webhooksOf = (database: Database) => database.collection<WebhookRow>('quire_webhooks')

/** A transaction needs its collections to be there. */
export async function ensureWebhooks(database: Database): Promise<void> {
  await ensureIndexes(webhooksOf(database), [{ key: { createdAt: 1 }, name: 'createdAt' }])
  await ensureHead(database)
}

/** A webhook as the management API shows it: without its secrets. */
export type Webhook = Omit<WebhookRow, '_id' | 'secrets' | 'by'> & {
  readonly id: string
  readonly enabled: boolean
  /** How many secrets sign. */
  readonly secretCount: number
}

export function shown({ _id, secrets, by: _by, ...row }: WebhookRow): Webhook {
  return { id: _id, ...row, enabled: row.disabledAt === null, secretCount: secrets.length }
}
