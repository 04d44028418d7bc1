import { findDocument } from '../documents/read/find-documents.ts'
import type { Entry } from '../documents/read/to-entry.ts'
import { ValidationError } from '../errors.ts'
import type { LocaleList } from '../locales/locales.ts'
import type { Database } from '../mongo/connection/database.ts'
import { type AnswerBounds, measureAnswer } from '../query/answer-size.ts'
import { parseEntryQuery } from '../query/parse-query.ts'
import type { QueryRules } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../schema/plan.ts'
import type { DeliveryRow } from './delivery.ts'
import { FILE } from './events.ts'
import type { WebhookRow } from './webhook.ts'

/** What bodies are made of. */
export interface PayloadSources {
  readonly database: Database
  readonly schema: Schema
  readonly locales: { current(): Promise<LocaleList> }
  /** Of what one body may hold. */
  readonly bounds: AnswerBounds
}

/** The body of one attempt, as JSON. What it shows of an entry is what is stored now: newer than the event, never older. */
export async function bodyFor(
  sources: PayloadSources,
  { body }: Pick<WebhookRow, 'body'>,
  delivery: DeliveryRow,
): Promise<string> {
  const { event, at, type, documentId, locale, status, seq, revision } = delivery
  const name = {
    documentId,
    ...(locale !== '' && { locale }),
    status,
  }
  const about = { event, createdAt: at, ...modelOf(sources.schema, type), seq, revision }
  if (body === 'thin') return JSON.stringify({ ...about, ...name })
  const found = event.endsWith('delete') ? null : await findEntry(sources, delivery)
  // Of what is gone by now there is its name.
  const entry = found ?? { documentId, ...(locale !== '' && { locale }) }
  return JSON.stringify({ ...about, ...name, [type === FILE ? 'media' : 'entry']: entry })
}

function modelOf({ contentTypes }: Schema, type: string): object {
  return type === FILE ? {} : { model: contentTypes.get(type)?.singularName ?? null, uid: type }
}

async function findEntry(sources: PayloadSources, delivery: DeliveryRow): Promise<Entry | null> {
  const plan = sources.schema.contentTypes.get(delivery.type)
  if (plan === undefined) return null // no longer declared
  try {
    return await read(sources, plan, delivery, { populate: '*' })
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    return read(sources, plan, delivery, {}) // too much is related to it
  }
}

async function read(
  { database, schema, locales, bounds }: PayloadSources,
  plan: ContentTypePlan,
  { event, documentId, locale, status }: DeliveryRow,
  query: Data,
): Promise<Entry | null> {
  const list = await locales.current()
  // The event of an unpublished entry contains its draft, as in the reference.
  const key = { locale, status: event === 'entry.unpublish' ? ('draft' as const) : status }
  const rules: QueryRules = {
    defaultLimit: 1,
    maxLimit: 1,
    locales: list,
    mayRead: isShown,
    mayReadDrafts: isShown,
    components: schema.components,
    format: 'v5',
    fileHolder: schema.contentTypes.get(FILE) ?? null,
    answer: measureAnswer(bounds),
  }
  const asked = { ...query, status: key.status, ...(locale !== '' && { locale }) }
  const found = await findDocument(
    database,
    plan,
    documentId,
    key,
    parseEntryQuery(asked, plan, rules),
  )
  return found?.entry ?? null
}

/** Content and files; never end users, whom webhooks of the reference leave out too. */
function isShown(uid: string): boolean {
  return uid.startsWith('api::') || uid === FILE
}
