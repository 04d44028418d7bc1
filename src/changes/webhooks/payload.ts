import { getReview } from '../../content/review/review.ts'
import { findDocument } from '../../content/read/find-documents.ts'
import type { Entry } from '../../content/read/row.ts'
import { ValidationError } from '../../base/errors.ts'
import type { LocaleList } from '../../content/locales/locales.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { type AnswerBounds, measureAnswer } from '../../query/answer-size.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import type { QueryRules } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { DeliveryRow } from './delivery.ts'
import { FILE } from './events.ts'
import { type OwnerRights, ownerRights, type Principals, type Withheld } from './owner-rights.ts'
import type { WebhookRow } from './webhook.ts'

export interface PayloadSources {
  readonly database: Database
  readonly schema: Schema
  readonly locales: { current(): Promise<LocaleList> }
  readonly principals: Principals
  readonly bounds: AnswerBounds
}

export interface Payload {
  readonly body: string
  /** Null unless the creator may not find the entry. */
  readonly withheld: Withheld | null
}

/** Shows the stored entry, possibly newer than the event, as its creator may currently find it. */
export async function bodyFor(
  sources: PayloadSources,
  hook: Pick<WebhookRow, 'body' | 'by' | 'types' | 'events'>,
  delivery: DeliveryRow,
): Promise<Payload> {
  const { event, at, type, documentId, locale, status, seq, revision } = delivery
  const name = {
    documentId,
    ...(locale !== '' && { locale }),
    status,
  }
  const about = { event, createdAt: at, ...modelOf(sources.schema, type), seq, revision }
  if (hook.body === 'thin') {
    return { body: JSON.stringify({ ...about, ...name }), withheld: null }
  }
  const { found, withheld } = event.endsWith('delete')
    ? MISSING
    : await findEntry(sources, hook, delivery)
  // Deleted entries and entries that the creator may not find are reduced to their ids.
  const entry = found ?? { documentId, ...(locale !== '' && { locale }) }
  const shown = {
    ...(found !== null && event === 'entry.review' && (await reviewOf(sources, delivery))),
    [type === FILE ? 'media' : 'entry']: entry,
  }
  return { body: JSON.stringify({ ...about, ...name, ...shown }), withheld }
}

/** Empty if the type no longer has a review. */
async function reviewOf(
  { database, schema }: PayloadSources,
  { type, documentId, locale }: DeliveryRow,
): Promise<object> {
  const plan = schema.contentTypes.get(type)
  if (plan?.review === undefined) return {}
  const entry = { plan, documentId, locale }
  return { review: await getReview({ database: database.majority }, plan.review, entry) }
}

interface Found {
  readonly found: Entry | null
  readonly withheld: Withheld | null
}

const MISSING: Found = { found: null, withheld: null }

function modelOf({ contentTypes }: Schema, type: string): object {
  return type === FILE ? {} : { model: contentTypes.get(type)?.singularName ?? null, uid: type }
}

async function findEntry(
  sources: PayloadSources,
  hook: Pick<WebhookRow, 'by' | 'types' | 'events'>,
  delivery: DeliveryRow,
): Promise<Found> {
  const plan = sources.schema.contentTypes.get(delivery.type)
  if (plan === undefined) return MISSING
  const locales = await sources.locales.current()
  const rights = await ownerRights(sources, hook, locales)
  const isDraft = shownStatus(delivery) === 'draft'
  const withheld = rights.withheld(plan, delivery.locale, isDraft)
  if (withheld !== null) return { found: null, withheld }
  const target = { plan, delivery, locales, rights }
  try {
    return { found: await read(sources, target, { populate: '*' }), withheld }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    return { found: await read(sources, target, {}), withheld } // too many related entries
  }
}

interface PayloadTarget {
  readonly plan: ContentTypePlan
  readonly delivery: DeliveryRow
  readonly locales: LocaleList
  readonly rights: OwnerRights
}

/** As in the reference, the event of an unpublished entry contains its draft. */
function shownStatus({ event, status }: DeliveryRow): DeliveryRow['status'] {
  return event === 'entry.unpublish' ? 'draft' : status
}

async function read(
  { database, schema, bounds }: PayloadSources,
  { plan, delivery, locales, rights }: PayloadTarget,
  query: Data,
): Promise<Entry | null> {
  const { documentId, locale } = delivery
  const key = { locale, status: shownStatus(delivery) }
  const rules: QueryRules = {
    defaultLimit: 1,
    maxLimit: 1,
    locales,
    mayRead: (uid) => rights.mayFind(uid),
    mayReadDrafts: (uid) => rights.mayReadDrafts(uid),
    components: schema.components,
    contentTypes: schema.contentTypes,
    format: 'v5',
    fileHolder: schema.contentTypes.get(FILE) ?? null,
    answer: measureAnswer(bounds),
  }
  const asked = { ...query, status: key.status, ...(locale !== '' && { locale }) }
  const found = await findDocument(
    database.majority,
    documentId,
    key,
    parseEntryQuery(asked, plan, rules),
  )
  return found?.entry ?? null
}
