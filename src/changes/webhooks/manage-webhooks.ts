import { authorOf } from '../../people/access/writing-for.ts'
import { assertMayPermit } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import { ApplicationError, because, NotFoundError } from '../../base/errors.ts'
import { type Head, readHead } from '../../mongo/commits/heads.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import type { Schema } from '../../schema/plan.ts'
import { deliveriesOf } from './delivery.ts'
import { actionsOfWebhook } from './owner-rights.ts'
import { newSecret } from './sign.ts'
import { shown, type Webhook, WEBHOOK_TYPE, type WebhookRow, webhooksOf } from './webhook.ts'
import {
  readNewWebhook,
  readReplay,
  readWebhookChange,
  type WebhookInput,
} from './webhook-input.ts'

export interface WebhooksContext {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly allowHosts: readonly string[]
  readonly now: () => Date
}

export interface WithSecret {
  readonly secret: string
}

const MAX_WEBHOOKS = 100

export async function listWebhooks({
  database,
}: Pick<WebhooksContext, 'database'>): Promise<readonly Webhook[]> {
  const rows = await webhooksOf(database).find({}).sort({ createdAt: 1, _id: 1 }).toArray()
  return rows.map(shown)
}

export async function getWebhook(
  { database }: Pick<WebhooksContext, 'database'>,
  id: string,
): Promise<WebhookRow> {
  const row = await webhooksOf(database).findOne({ _id: id })
  return there(row)
}

/** @throws ApplicationError beyond 100 webhooks, ForbiddenError for unreadable content */
export async function createWebhook(
  context: WebhooksContext,
  actor: Principal,
  input: unknown,
): Promise<Webhook & WithSecret> {
  const { database, now } = context
  const { enabled, ...wanted } = readNewWebhook(input, context)
  assertMayRead(context, actor, wanted)
  const secret = newSecret()
  const { seq } = await readHead(database)
  const at = now()
  const row: WebhookRow = {
    _id: newDocumentId(),
    ...wanted,
    secrets: [secret],
    cursor: seq,
    replay: null,
    missed: null,
    ...switched(enabled, at),
    by: authorOf(actor),
    createdAt: at,
    updatedAt: at,
  }
  await change(context, row._id, async (session) => {
    const count = await webhooksOf(database).countDocuments({}, { session })
    if (count >= MAX_WEBHOOKS) {
      const message = `There can be at most ${MAX_WEBHOOKS} webhooks`
      throw new ApplicationError(
        message,
        {},
        because(message, 'any.tooMany', { limit: MAX_WEBHOOKS }),
      )
    }
    await webhooksOf(database).insertOne(row, { session })
  })
  return { ...shown(row), secret }
}

/** The actor must be able to read the old and the new content, because pending deliveries use the new URL. */
export async function updateWebhook(
  context: WebhooksContext,
  actor: Principal,
  id: string,
  input: unknown,
): Promise<Webhook> {
  const { now } = context
  return changeRow(context, actor, id, (row) => {
    const { enabled, ...wanted } = readWebhookChange(input, row, context)
    assertMayRead(context, actor, { ...row, ...wanted })
    const isOn = row.disabledAt === null
    return {
      ...wanted,
      ...(enabled !== undefined && enabled !== isOn && switched(enabled, now())),
    }
  })
}

export async function removeWebhook(
  context: WebhooksContext,
  actor: Principal,
  id: string,
): Promise<Webhook> {
  const { database } = context
  const row = await getWebhook(context, id)
  assertMayRead(context, actor, row)
  await database.transact(async (session) => {
    const { deletedCount } = await webhooksOf(database).deleteOne({ _id: id }, { session })
    if (deletedCount === 0) throw new NotFoundError(MISSING)
    noteRow(session, 'delete', { type: WEBHOOK_TYPE, documentId: id })
  })
  await deliveriesOf(database).deleteMany({ hook: id })
  return shown(row)
}

/** The previous secret also signs until `endRotation`. @throws NotFoundError, ForbiddenError */
export async function rotateSecret(
  context: WebhooksContext,
  actor: Principal,
  id: string,
): Promise<Webhook & WithSecret> {
  const secret = newSecret()
  const row = await changeRow(context, actor, id, ({ secrets }) => ({
    secrets: [secret, ...secrets.slice(0, 1)],
  }))
  return { ...row, secret }
}

export function endRotation(
  context: WebhooksContext,
  actor: Principal,
  id: string,
): Promise<Webhook> {
  return changeRow(context, actor, id, ({ secrets }) => ({ secrets: secrets.slice(0, 1) }))
}

/** Delivers events again, under their original ids. */
export async function replayWebhook(
  context: WebhooksContext,
  actor: Principal,
  id: string,
  input: unknown,
): Promise<Webhook> {
  const { from, to } = readReplay(input)
  const head = await readHead(context.database)
  assertInLog(from, head)
  return changeRow(context, actor, id, ({ replay, disabledAt, cursor }) => {
    if (disabledAt !== null) {
      const message = 'The webhook is disabled'
      throw new ApplicationError(message, {}, because(message, 'webhook.disabled'))
    }
    if (replay !== null) {
      const message = 'A replay is under way'
      throw new ApplicationError(message, {}, because(message, 'webhook.replay'))
    }
    return { replay: { after: from - 1, to: Math.min(to ?? cursor, cursor) } }
  })
}

function assertInLog(from: number, { floor, seq }: Head): void {
  if (from > floor && from <= seq) return
  if (floor >= seq) {
    const message = 'The log is empty'
    throw new ApplicationError(message, {}, because(message, 'webhook.logEmpty'))
  }
  const message = `The log holds the commits from ${floor + 1} to ${seq}; there is no ${from}`
  const kept = { from: floor + 1, to: seq }
  throw new ApplicationError(message, {}, because(message, 'webhook.log', kept))
}

/** Webhooks must not disclose content that the actor may not read. @throws ForbiddenError */
function assertMayRead(
  { schema }: WebhooksContext,
  actor: Principal,
  wanted: Pick<WebhookInput, 'types' | 'events'>,
): void {
  assertMayPermit(actor, actionsOfWebhook(schema, wanted))
}

function switched(enabled: boolean, at: Date): Pick<WebhookRow, 'disabledAt' | 'disabledBecause'> {
  return enabled
    ? { disabledAt: null, disabledBecause: null }
    : { disabledAt: at, disabledBecause: 'administrator' }
}

async function changeRow(
  context: WebhooksContext,
  actor: Principal,
  id: string,
  changesOf: (row: WebhookRow) => Partial<WebhookRow>,
): Promise<Webhook> {
  const { database, now } = context
  return change(context, id, async (session) => {
    const row = there(await webhooksOf(database).findOne({ _id: id }, { session }))
    assertMayRead(context, actor, row)
    const changes = { ...changesOf(row), updatedAt: now() }
    await webhooksOf(database).updateOne({ _id: id }, { $set: changes }, { session })
    return shown({ ...row, ...changes })
  })
}

function change<T>(
  { database }: WebhooksContext,
  id: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return database.transact(async (session) => {
    const result = await work(session)
    noteRow(session, 'put', { type: WEBHOOK_TYPE, documentId: id })
    return result
  })
}

const MISSING = 'There is no such webhook'

function there(row: WebhookRow | null): WebhookRow {
  if (row === null) throw new NotFoundError(MISSING)
  return row
}
