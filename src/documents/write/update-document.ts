import { NotFoundError } from '../../errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { getAllVersions, getWholeVersion } from '../../mongo/read/read-versions.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import {
  insertVersions,
  patchVersion,
  putVersion,
  setInOtherLocales,
} from '../../mongo/write/write-versions.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { assertFree, createOnce, createVersions, prepareNext, relate } from './create-document.ts'
import { hasShared, pickShared } from '../payload/shared-values.ts'
import { assertCondition, missingVersion, refuseOutdated } from './write-condition.ts'
import type { WriteTarget } from '../write-target.ts'
import { completeValues, type PreparedValues, prepareValues } from '../payload/write-values.ts'

/** A change that was checked, and what it was made of: a locale that is missing is created from that. */
interface Update {
  readonly data: unknown
  readonly prepared: PreparedValues
}

/** Publishes what is there: as a write that gives nothing does. */
export const NO_CHANGE: Update = {
  data: {},
  prepared: { values: {}, changes: new Map(), componentIds: new Map(), needsStored: false },
}

/**
 * Changes what is given of a document and answers the version asked for. A locale that the document
 * does not have yet begins with the values that all locales share; a single type is created.
 * @throws NotFoundError for a document that does not exist; ValidationError for data that the
 * content-type does not allow; PreconditionFailedError where `target` sets a condition. Then nothing is changed.
 */
export async function updateDocument(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<StoredVersion> {
  const { plan, documentId, condition, key } = target
  const update = await checkUpdate(context, target, data)
  const { prepared } = update
  if (condition !== undefined) {
    await refuseOutdated(context, { plan, documentId, locale: key.locale }, condition)
  }
  return retryCollisions(() =>
    plan.draftAndPublish || plan.localized || prepared.needsStored || condition !== undefined
      ? context.database.transact((session) => updateVersions(context, target, update, session))
      : updateOnly(context, target, update),
  )
}

/**
 * Looks at what a change gives, before it is written in a transaction.
 * @throws NotFoundError for what is no documentId; ValidationError for what the content-type does not allow.
 */
export async function checkUpdate(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<Update> {
  const { plan, documentId } = target
  const changes = plan.draftAndPublish
    ? plan.validators.draft(data, { creating: false })
    : plan.validators.direct(data, { creating: false })
  if (!isDocumentId(documentId)) throw new NotFoundError('Not Found')
  return { data, prepared: await prepareValues(context, target, changes, { creating: false }) }
}

/** One version, changed without regard to what it holds: one command, atomic by itself. */
async function updateOnly(
  context: DocumentContext,
  target: WriteTarget,
  { data, prepared }: Update,
): Promise<StoredVersion> {
  const { plan } = target
  const values = completeValues(plan, prepared, {})
  await assertFreeIfThere(context, target, values, undefined)
  const patched = await patch(context, target, values, undefined)
  if (patched !== null) return patched
  if (plan.kind === 'singleType') return createOnce(context, target, data)
  throw new NotFoundError('Not Found')
}

/** `updateDocument` within a transaction, for a change that was checked. */
export async function updateVersions(
  context: DocumentContext,
  target: WriteTarget,
  update: Update,
  session: Session,
): Promise<StoredVersion> {
  const { plan, key } = target
  const { prepared } = update
  if (reachesOthers(target, prepared)) {
    await lockDocument(context.database, plan, target.documentId, session)
  }
  await assertMet(context, target, session)
  const stored = prepared.needsStored ? await getStored(context, target, session) : {}
  if (stored === null) return addVersion(context, target, update, session)
  const values = completeValues(plan, prepared, stored)
  if (!plan.draftAndPublish) await assertFreeIfThere(context, target, values, session)
  const patched = await patch(context, target, values, session)
  if (patched === null) return addVersion(context, target, update, session)
  const sides = { changes: prepared.changes, isCopy: false }
  const [written = patched] = await relate(context, target, [patched], sides, session)
  const given = [...Object.keys(values), ...prepared.changes.keys()]
  const changed = Object.fromEntries(given.map((name) => [name, written[name]]))
  await setInOtherLocales(context.database, plan, written, pickShared(plan, changed), session)
  return plan.draftAndPublish && key.status === 'published'
    ? publish(context, target, { draft: written, prepared }, session)
    : written
}

/** Whether it writes what locales share: then it takes the locks of several versions. */
function reachesOthers({ plan, key }: WriteTarget, { values, changes }: PreparedValues): boolean {
  const isPublishing = plan.draftAndPublish && key.status === 'published'
  return hasShared(plan, isPublishing ? 'any' : [...Object.keys(values), ...changes.keys()])
}

/** A document that does not exist is told before what is taken. @throws NotFoundError, ValidationError */
async function assertFreeIfThere(
  context: DocumentContext,
  target: WriteTarget,
  values: Data,
  session: Session | undefined,
): Promise<void> {
  try {
    await assertFree(context, target, values, session)
  } catch (error) {
    const { plan, documentId } = target
    if (plan.kind === 'singleType') throw error
    const versions = await getAllVersions(context.database, plan, documentId, session)
    throw versions.length === 0 ? new NotFoundError('Not Found') : error
  }
}

/** A document that does not exist at all is refused later, for that. */
async function assertMet(
  context: DocumentContext,
  { plan, documentId, key: { locale }, condition }: WriteTarget,
  session: Session,
): Promise<void> {
  if (condition === undefined) return
  const isStored = await assertCondition(context, { plan, documentId, locale }, condition, session)
  if (isStored || condition.match === null) return
  const others = await getAllVersions(context.database, plan, documentId, session)
  if (plan.kind === 'singleType' || others.length > 0) throw missingVersion()
}

function getStored(
  { database }: DocumentContext,
  target: WriteTarget,
  session: Session,
): Promise<Data | null> {
  return getWholeVersion(database, target.plan, target.documentId, writtenKey(target), session)
}

/** Writes go to the draft where there is one. */
function writtenKey({ plan, key }: WriteTarget): VersionKey {
  return { locale: key.locale, status: plan.draftAndPublish ? 'draft' : 'published' }
}

function patch(
  { database, now }: DocumentContext,
  target: WriteTarget,
  values: Data,
  session: Session | undefined,
): Promise<StoredVersion | null> {
  const at = now()
  const { plan, documentId } = target
  const stamps = plan.draftAndPublish ? { updatedAt: at } : { updatedAt: at, publishedAt: at }
  const written = { documentId, key: writtenKey(target) }
  return patchVersion(database, plan, written, { ...values, ...stamps }, session)
}

/** What a document lacks: a locale, or a draft of what was published when its type had no drafts. */
async function addVersion(
  context: DocumentContext,
  target: WriteTarget,
  update: Update,
  session: Session,
): Promise<StoredVersion> {
  const { plan, documentId, key } = target
  if (plan.localized) await lockDocument(context.database, plan, documentId, session)
  const versions = await getAllVersions(context.database, plan, documentId, session)
  const published = versions.find(({ locale }) => locale === key.locale)
  if (plan.draftAndPublish && published !== undefined) {
    await beginDraft(context, plan, published, session)
    const { condition: _met, ...rest } = target
    return updateVersions(context, rest, update, session)
  }
  const sibling = versions.find(({ status }) => status === 'draft') ?? versions[0]
  if (sibling === undefined && plan.kind === 'collectionType') throw new NotFoundError('Not Found')
  const begun = sibling === undefined ? {} : pickShared(plan, sibling)
  // `data` was checked to be an object.
  const prepared = await prepareNext(context, target, update.data as Data, begun)
  const created = await createVersions(context, target, prepared, session, begun)
  if (sibling !== undefined) await shareNew(context, plan, created, session)
  return created
}

/** Stores a draft of what was published without one, and answers it. */
export async function beginDraft(
  { database, ids }: DocumentContext,
  plan: ContentTypePlan,
  published: StoredVersion,
  session: Session,
): Promise<StoredVersion> {
  const [id = 0] = await ids.take(plan.collectionName, 1)
  const draft = { ...published, id, status: 'draft' as const, publishedAt: null }
  await insertVersions(database, plan, [draft], session)
  return draft
}

/** Puts a copy of another version over what there is. It keeps the id that it has, or gets one of its own. */
export async function putCopy(
  { database, ids }: DocumentContext,
  plan: ContentTypePlan,
  copy: StoredVersion,
  session: Session,
): Promise<StoredVersion> {
  const [id = 0] = await ids.take(plan.collectionName, 1)
  const stored = await putVersion(database, plan, { ...copy, id }, session)
  if (stored.id !== id) ids.giveBack(plan.collectionName, id)
  return stored
}

/** What came with a new locale goes to the others: to their drafts as well, where it was published. */
async function shareNew(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  created: StoredVersion,
  session: Session,
): Promise<void> {
  const shared = pickShared(plan, created)
  await setInOtherLocales(database, plan, created, shared, session)
  if (!plan.draftAndPublish || created.status === 'draft') return
  await setInOtherLocales(database, plan, { ...created, status: 'draft' }, shared, session)
}

/** The whole draft becomes the published version; what locales share goes to their published ones. */
async function publish(
  context: DocumentContext,
  target: WriteTarget,
  { draft, prepared }: { readonly draft: StoredVersion; readonly prepared: PreparedValues },
  session: Session,
): Promise<StoredVersion> {
  const { database, now } = context
  const { plan } = target
  plan.validators.publishable(draft)
  await assertFree(context, target, draft, session)
  const copy = { ...draft, status: 'published', publishedAt: now() } as const
  const published = await putCopy(context, plan, copy, session)
  const sides = { changes: prepared.changes, isCopy: true }
  const [related = published] = await relate(context, target, [published], sides, session)
  await setInOtherLocales(database, plan, related, pickShared(plan, related), session)
  return related
}
