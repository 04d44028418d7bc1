import type { Author } from '../../mongo/connection/authorship.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureHead } from '../../mongo/commits/heads.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { MissedCommits } from '../follow-log.ts'
import type { Subscription } from './events.ts'
import { type HeadersInput, hiddenHeaders, type WebhookHeader } from './webhook-headers.ts'

export interface WebhookRow extends Subscription {
  readonly _id: string
  readonly name: string
  readonly url: string
  readonly body: 'strapi' | 'thin'
  readonly ordered: boolean
  readonly secrets: readonly string[]
  /** Absent in rows from older releases. */
  readonly headers?: readonly WebhookHeader[]
  readonly cursor: number
  readonly replay: { readonly after: number; readonly to: number } | null
  /** The last range of commits that the log had deleted before the webhook read them. */
  readonly missed: Missed | null
  readonly disabledAt: Date | null
  /** `gone`: the receiver responded with 410. */
  readonly disabledBecause: 'administrator' | 'gone' | null
  /** The creator. Payloads show content that this author may currently find. Absent in rows from older releases. */
  readonly by?: Author
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** `at` is the time at which the gap was detected. */
export interface Missed extends MissedCommits {
  readonly at: Date
}

export const WEBHOOK_TYPE = 'admin::webhook'

export const WEBHOOKS = 'quire_webhooks'

export const webhooksOf = (database: Database) => database.table<WebhookRow>(WEBHOOKS)

export async function ensureWebhooks(database: Database): Promise<void> {
  await ensureIndexes(webhooksOf(database), [{ key: { createdAt: 1 }, name: 'createdAt' }])
  await ensureHead(database)
}

export type Webhook = Omit<WebhookRow, '_id' | 'secrets' | 'headers' | 'by'> & {
  readonly id: string
  readonly enabled: boolean
  readonly secretCount: number
  /** Without values. */
  readonly headers: HeadersInput
}

export function shown({ _id, secrets, headers = [], by: _by, ...row }: WebhookRow): Webhook {
  return {
    id: _id,
    ...row,
    headers: hiddenHeaders({ headers }),
    enabled: row.disabledAt === null,
    secretCount: secrets.length,
  }
}
