import { type Head, readHead } from '../../mongo/commits/heads.ts'
import { type NumberedCommit, scanCommits } from '../../mongo/commits/read-commits.ts'
import { asCmsErrors } from '../../mongo/connection/database-error.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import type { Schema } from '../../schema/plan.ts'
import { deliveriesOf, type DeliveryRow, freshState, deliveryPosition } from './delivery.ts'
import { eventOf, wants } from './events.ts'
import { type Missed, type Webhook, type WebhookRow, webhooksOf } from './webhook.ts'

/** Maximum part of the log per transaction. */
const MAX_COMMITS_PER_STEP = 100
const MAX_ITEMS_PER_STEP = 1_000

/** Limit of pending deliveries per webhook. Further events stay in the log. */
export const MAX_PENDING_DELIVERIES = 10_000

export interface MoveOptions {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly now: () => Date
  /** Called when the log has deleted commits before a webhook read them. Their events are lost. */
  readonly onMissed: (missed: Missed & Pick<Webhook, 'id' | 'name'>) => void
}

/** Creates the deliveries of new commits for each webhook. Returns whether the log has more commits. */
export async function moveCommits(move: MoveOptions, head: Head): Promise<boolean> {
  const { database } = move
  const behind = await asCmsErrors(() =>
    webhooksOf(database)
      .find(
        { disabledAt: null, $or: [{ cursor: { $lt: head.seq } }, { replay: { $ne: null } }] },
        { maxTimeMS: database.queryTimeoutMs },
      )
      .toArray(),
  )
  let more = false
  for (const hook of behind) {
    if (await isFull(database, hook)) continue
    if (hook.cursor < head.seq) more = (await moveFor(move, head, hook, FORWARD)) || more
    if (hook.replay !== null) more = (await moveFor(move, head, hook, REPLAY)) || more
  }
  return more
}

async function isFull(database: Database, { _id }: WebhookRow): Promise<boolean> {
  const count = await asCmsErrors(() =>
    deliveriesOf(database).countDocuments(
      { hook: _id, open: 1 },
      { maxTimeMS: database.queryTimeoutMs, limit: MAX_PENDING_DELIVERIES },
    ),
  )
  return count >= MAX_PENDING_DELIVERIES
}

/** A direction of reading: new commits, or a replay. */
interface ReadDirection {
  /** The commits to read; null if none are due. */
  range(hook: WebhookRow, head: Head): { readonly after: number; readonly to: number } | null
  /** The new position and the missed commits. */
  at(after: number, hook: WebhookRow, missed: Missed | null): Partial<WebhookRow>
  /** Whether existing deliveries are sent again. */
  readonly again: boolean
}

const FORWARD: ReadDirection = {
  range: ({ cursor }, { seq }) => (cursor < seq ? { after: cursor, to: seq } : null),
  at: (cursor, _hook, missed) => ({ cursor, ...(missed !== null && { missed }) }),
  again: false,
}

const REPLAY: ReadDirection = {
  range: ({ replay }) => replay,
  at: (after, { replay }) => ({
    replay: replay === null || after >= replay.to ? null : { after, to: replay.to },
  }),
  again: true,
}

/**
 * Moves one webhook by one batch. A transaction writes deliveries and position together, so that concurrent or
 * crashed processes create each delivery once. Returns whether the range has more commits.
 */
async function moveFor(
  move: MoveOptions,
  head: Head,
  seen: WebhookRow,
  way: ReadDirection,
): Promise<boolean> {
  const { database } = move
  const range = way.range(seen, head)
  if (range === null) return false
  const { commits, reached, missed } = await readStep(move, range)
  const hasMoved = await database.transact(async (session) => {
    const hook = await webhooksOf(database).findOne(
      { _id: seen._id },
      { session, maxTimeMS: database.queryTimeoutMs },
    )
    // Another process moved the webhook, or it was changed or removed.
    if (hook === null || hook.disabledAt !== null) return false
    if (way.range(hook, head)?.after !== range.after) return false
    await putDeliveries(move, hook, commits, way, session)
    await webhooksOf(database).updateOne(
      { _id: hook._id },
      { $set: way.at(reached, hook, missed) },
      { session, maxTimeMS: database.queryTimeoutMs },
    )
    return true
  })
  if (hasMoved && missed !== null && !way.again)
    move.onMissed({ ...missed, id: seen._id, name: seen.name })
  return reached < range.to
}

interface LogStep {
  readonly commits: readonly NumberedCommit[]
  /** All commits up to this number are covered. */
  readonly reached: number
  /** Null if the log holds all commits of the step. */
  readonly missed: Missed | null
}

/**
 * Commit numbers have no gaps. A gap means that retention has deleted commits, and later ones start after its floor.
 */
async function readStep(
  { database, now }: MoveOptions,
  { after, to }: { readonly after: number; readonly to: number },
): Promise<LogStep> {
  const found: NumberedCommit[] = []
  const range = { after, limit: MAX_COMMITS_PER_STEP }
  await scanCommits(database, { seq: to }, range, {}, (commit) => {
    return found.push(commit) > 0
  })
  const commits = withinItems(found)
  const isWhole = commits.length === found.length && found.length < MAX_COMMITS_PER_STEP
  const reached = isWhole ? to : (commits.at(-1)?.seq ?? to)
  if (commits.length === reached - after) return { commits, reached, missed: null }
  const { floor } = await readHead(database)
  const from = after + 1
  return {
    commits: commits.filter(({ seq }) => seq > floor),
    reached: Math.min(Math.max(reached, floor), to),
    missed: floor < from ? null : { from, to: Math.min(floor, to), at: now() },
  }
}

/** Returns whole commits, at least one. */
function withinItems(commits: readonly NumberedCommit[]): readonly NumberedCommit[] {
  let items = 0
  const last = commits.findIndex((commit, index) => {
    items += commit.items.length
    return index > 0 && items > MAX_ITEMS_PER_STEP
  })
  return last === -1 ? commits : commits.slice(0, last)
}

async function putDeliveries(
  { database, schema, now }: MoveOptions,
  hook: WebhookRow,
  commits: readonly NumberedCommit[],
  { again }: ReadDirection,
  session: Session,
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
    maxTimeMS: database.queryTimeoutMs,
  })
}

type Facts = Omit<DeliveryRow, keyof ReturnType<typeof freshState>>

function deliveriesFor(
  hook: WebhookRow,
  commit: NumberedCommit,
  schema: MoveOptions['schema'],
): readonly Facts[] {
  return commit.items.flatMap((item, index) => {
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
