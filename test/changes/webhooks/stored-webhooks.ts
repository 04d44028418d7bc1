import type { PendingRow } from '../../../src/mongo/connection/commit-record.ts'
import type { NumberedCommit } from '../../../src/mongo/commits/read-commits.ts'
import { headsOf } from '../../../src/mongo/commits/heads.ts'
import type { CommitItem, Database } from '../../../src/mongo/connection/database.ts'
import {
  deliveriesOf,
  type DeliveryRow,
  freshState,
  deliveryPosition,
} from '../../../src/changes/webhooks/delivery.ts'
import { type WebhookRow, webhooksOf } from '../../../src/changes/webhooks/webhook.ts'

export const ARTICLE = 'api::article.article'
const COMMITS = 'quire_commits'

/** Stores a webhook that wants drafts. */
export async function putHook(
  database: Database,
  given: Partial<WebhookRow> = {},
): Promise<WebhookRow> {
  const at = new Date()
  const row: WebhookRow = {
    _id: 'hook',
    name: 'site',
    url: 'http://127.0.0.1:1/hook',
    events: ['entry.create', 'entry.update'],
    types: null,
    locales: null,
    body: 'thin',
    ordered: false,
    secrets: ['whsec_c2VjcmV0'],
    cursor: 0,
    replay: null,
    missed: null,
    disabledAt: null,
    disabledBecause: null,
    createdAt: at,
    updatedAt: at,
    ...given,
  }
  await webhooksOf(database).insertOne(row)
  return row
}

/** Stores a pending delivery of a webhook for a document. */
export async function putDelivery(
  database: Database,
  seq: number,
  given: Partial<DeliveryRow> = {},
): Promise<void> {
  await deliveriesOf(database).insertOne({
    _id: `hook:${seq}`,
    hook: 'hook',
    event: 'entry.update',
    seq,
    place: deliveryPosition(seq, 0),
    at: new Date(),
    ...itemOf('a'),
    ...freshState(new Date()),
    ...given,
  })
}

/** Stores numbered commits in the form of the sequencer, each with the given number of drafts, and updates the head. */
export async function putCommits(
  database: Database,
  {
    from = 1,
    to,
    items = 1,
  }: { readonly from?: number; readonly to: number; readonly items?: number },
): Promise<void> {
  const rows = Array.from({ length: to - from + 1 }, (_, index): NumberedCommit => {
    const seq = from + index
    const names = Array.from({ length: items }, (_item, place) => itemOf(`${seq}-${place}`))
    return {
      _id: String(seq).padStart(24, '0'),
      seq,
      at: new Date(),
      by: BY,
      requestId: null,
      items: names,
    }
  })
  await database.collection<NumberedCommit>(COMMITS).insertMany(rows)
  await headsOf(database).updateOne({ _id: 'main' }, { $set: { seq: to } })
}

/** Drops commits like retention does: the head first. */
export async function dropCommits(database: Database, to: number): Promise<void> {
  await headsOf(database).updateOne({ _id: 'main' }, { $set: { floor: to } })
  await database.collection(COMMITS).deleteMany({ seq: { $lte: to } })
}

const BY: PendingRow['by'] = { kind: 'system', id: null, name: null }

function itemOf(documentId: string): CommitItem {
  return { type: ARTICLE, documentId, locale: '', status: 'draft', op: 'put', revision: null }
}
