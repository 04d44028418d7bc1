import type { Head } from '../../mongo/commits/heads.ts'
import type { NumberedCommit } from '../../mongo/commits/read-commits.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import type { Schema } from '../../schema/plan.ts'
import { moveCursor, type StoredCursor } from '../follow-log.ts'
import { deliveriesOf, type DeliveryRow, freshState, deliveryPosition } from './delivery.ts'
import { changedContent, eventOf, wants } from './events.ts'
import { type Missed, type Webhook, type WebhookRow, WEBHOOKS, webhooksOf } from './webhook.ts'

const STEP_LIMITS = { commits: 100, items: 1_000 } as const

export const MAX_PENDING_DELIVERIES = 10_000

export interface MoveOptions {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly now: () => Date
  /** Called when the log has deleted commits before a webhook read them. Their events are lost. */
  readonly onMissed: (missed: Missed & Pick<Webhook, 'id' | 'name'>) => void
}

export async function moveCommits(move: MoveOptions, head: Head): Promise<boolean> {
  const { database } = move
  const behind = await webhooksOf(database)
    .find({ disabledAt: null, $or: [{ cursor: { $lt: head.seq } }, { replay: { $ne: null } }] })
    .toArray()
  let more = false
  for (const hook of behind) {
    if (await isFull(database, hook)) continue
    const { hasMore, missed } = await moveCursor(database, forward(head, move), hook)
    if (missed !== null) {
      move.onMissed({ ...missed, at: move.now(), id: hook._id, name: hook.name })
    }
    const { hasMore: replaysMore } = await moveCursor(database, replaying(move), hook)
    more ||= hasMore || replaysMore
  }
  return more
}

async function isFull(database: Database, { _id }: WebhookRow): Promise<boolean> {
  const count = await deliveriesOf(database).countDocuments(
    { hook: _id, open: 1 },
    { limit: MAX_PENDING_DELIVERIES },
  )
  return count >= MAX_PENDING_DELIVERIES
}

function forward({ seq }: Head, move: MoveOptions): HookCursor {
  return {
    collection: WEBHOOKS,
    limits: STEP_LIMITS,
    range: ({ cursor, disabledAt }) =>
      disabledAt === null && cursor < seq ? { after: cursor, to: seq } : null,
    take: (hook, commits, session) => putDeliveries(move, hook, commits, session, { again: false }),
    moved: (_hook, { reached, missed }) => ({
      cursor: reached,
      ...(missed !== null && { missed: { ...missed, at: move.now() } }),
    }),
  }
}

function replaying(move: MoveOptions): HookCursor {
  return {
    collection: WEBHOOKS,
    limits: STEP_LIMITS,
    range: ({ replay, disabledAt }) => (disabledAt === null ? replay : null),
    take: (hook, commits, session) => putDeliveries(move, hook, commits, session, { again: true }),
    moved: ({ replay }, { reached }) => ({
      replay: replay === null || reached >= replay.to ? null : { after: reached, to: replay.to },
    }),
  }
}

type HookCursor = StoredCursor<WebhookRow>

async function putDeliveries(
  { database, schema, now }: MoveOptions,
  hook: WebhookRow,
  commits: readonly NumberedCommit[],
  session: Session,
  { again }: { readonly again: boolean },
): Promise<void> {
  const at = now()
  const operations = commits
    .flatMap((commit) => deliveriesFor(hook, commit, schema))
    .map(({ _id, ...facts }) => ({
      updateOne: {
        filter: { _id },
        update: again
          ? { $set: { ...facts, ...freshState(at) } }
          : { $setOnInsert: { ...facts, ...freshState(at) } },
        upsert: true,
      },
    }))
  if (operations.length === 0) return
  await deliveriesOf(database).bulkWrite(operations, {
    session,
    ordered: true,
  })
}

type Facts = Omit<DeliveryRow, keyof ReturnType<typeof freshState>>

function deliveriesFor(
  hook: WebhookRow,
  commit: NumberedCommit,
  schema: MoveOptions['schema'],
): readonly Facts[] {
  return commit.items.map(changedContent).flatMap((item, index) => {
    const event = eventOf(item, schema.contentTypes.get(item.type))
    if (event === null || !wants(hook, event, item)) return []
    return {
      // The id of the commit is unique. Its number may be reused after a backup is restored.
      _id: `${hook._id}:${commit._id.replace('.', '-')}:${index}`,
      hook: hook._id,
      event,
      seq: commit.seq,
      place: deliveryPosition(commit.seq, index),
      at: commit.at,
      type: item.type,
      documentId: item.documentId,
      locale: item.locale,
      status: item.status,
      revision: item.revision,
    }
  })
}
