import { type Head, readHead } from '../mongo/commits/heads.ts'
import { type NumberedCommit, scanCommits } from '../mongo/commits/read-commits.ts'
import { asCmsErrors } from '../mongo/connection/database-error.ts'
import type { Database, Session } from '../mongo/connection/database.ts'
import type { Schema } from '../schema/plan.ts'
import { deliveriesOf, type DeliveryRow, freshState, placeOf } from './delivery.ts'
import { eventOf, wants } from './events.ts'
import { type Missed, type Webhook, type WebhookRow, webhooksOf } from './webhook.ts'

/** How much of the log is looked at in one transaction. */
const COMMITS_AT_ONCE = 100
const ITEMS_AT_ONCE = 1_000

/** A receiver that answers nothing keeps so many deliveries waiting; the rest waits in the log. */
export const MOST_OPEN = 10_000

export interface Move {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly now: () => Date
  /** The log no longer held some commits when a webhook came to them: their events are not delivered. */
  readonly onMissed: (missed: Missed & Pick<Webhook, 'id' | 'name'>) => void
}

/** Makes deliveries of what has been committed, for each webhook. Says whether there is more. */
export async function moveCommits(move: Move, head: Head): Promise<boolean> {
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
      { maxTimeMS: database.queryTimeoutMs, limit: MOST_OPEN },
    ),
  )
  return count >= MOST_OPEN
}

/** What is followed: the log as it grows, or a part of it once more. */
interface Way {
  /** After which commit it goes on, and up to which; null where it does not. */
  range(hook: WebhookRow, head: Head): { readonly after: number; readonly to: number } | null
  /** Its new position, and the commits that it missed. */
  at(after: number, hook: WebhookRow, missed: Missed | null): Partial<WebhookRow>
  /** Whether deliveries that were made before are made again. */
  readonly again: boolean
}

const FORWARD: Way = {
  range: ({ cursor }, { seq }) => (cursor < seq ? { after: cursor, to: seq } : null),
  at: (cursor, _hook, missed) => ({ cursor, ...(missed !== null && { missed }) }),
  again: false,
}

const REPLAY: Way = {
  range: ({ replay }) => replay,
  at: (after, { replay }) => ({
    replay: replay === null || after >= replay.to ? null : { after, to: replay.to },
  }),
  again: true,
}

/**
 * One step for one webhook: deliveries and how far it is are written together or not at all, so that each event has one
 * delivery, whichever processes are at it and wherever they die. Says whether there is more.
 */
async function moveFor(move: Move, head: Head, seen: WebhookRow, way: Way): Promise<boolean> {
  const { database } = move
  const range = way.range(seen, head)
  if (range === null) return false
  const { commits, reached, missed } = await readStep(move, range)
  const hasMoved = await database.transact(async (session) => {
    const hook = await webhooksOf(database).findOne(
      { _id: seen._id },
      { session, maxTimeMS: database.queryTimeoutMs },
    )
    // Another process was faster, or the webhook was changed or removed.
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

interface Step {
  readonly commits: readonly NumberedCommit[]
  /** The commit up to which these are all that there are. */
  readonly reached: number
  /** Null where the log holds all of them. */
  readonly missed: Missed | null
}

/** Numbers have no gaps: where one is not there, retention was faster, and what follows begins behind its floor. */
async function readStep(
  { database, now }: Move,
  { after, to }: { readonly after: number; readonly to: number },
): Promise<Step> {
  const found: NumberedCommit[] = []
  const range = { after, limit: COMMITS_AT_ONCE }
  await scanCommits(database, { seq: to }, range, {}, (commit) => {
    return found.push(commit) > 0
  })
  const commits = withinItems(found)
  const isWhole = commits.length === found.length && found.length < COMMITS_AT_ONCE
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

/** Whole commits, and one at least. */
function withinItems(commits: readonly NumberedCommit[]): readonly NumberedCommit[] {
  let items = 0
  const last = commits.findIndex((commit, index) => {
    items += commit.items.length
    return index > 0 && items > ITEMS_AT_ONCE
  })
  return last === -1 ? commits : commits.slice(0, last)
}

async function putDeliveries(
  { database, schema, now }: Move,
  hook: WebhookRow,
  commits: readonly NumberedCommit[],
  { again }: Way,
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
  schema: Move['schema'],
): readonly Facts[] {
  return commit.items.flatMap((item, index) => {
    const event = eventOf(item, schema.contentTypes.get(item.type))
    if (event === null || !wants(hook, event, item)) return []
    return {
      // Of the commit's own id: its number may be given again where a backup is restored.
      _id: `${hook._id}:${commit._id.replace('.', '-')}:${index}`,
      hook: hook._id,
      event,
      seq: commit.seq,
      place: placeOf(commit.seq, index),
      at: commit.at,
      type: item.type,
      documentId: item.documentId,
      locale: item.locale,
      status: item.status,
      revision: item.revision,
    }
  })
}
