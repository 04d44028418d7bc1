import { NotFoundError } from '../errors.ts'
import type { Session } from '../mongo/database.ts'
import { isDocumentId } from '../mongo/document-id.ts'
import { getAllVersions } from '../mongo/read-versions.ts'
import type { StoredVersion } from '../mongo/stored-version.ts'
import { patchVersion, putVersion, setInOtherLocales } from '../mongo/write-versions.ts'
import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { DocumentContext } from './context.ts'
import {
  assertFree,
  checkNew,
  createDocument,
  createVersions,
  type WriteTarget,
} from './create-document.ts'
import { pickShared, sharedPayload } from './shared-values.ts'

/**
 * Changes what is given of a document and answers the version asked for. A locale that the document
 * does not have yet begins with the values that all locales share; a single type is created.
 * @throws NotFoundError for a document that does not exist; ValidationError for data that the
 * content-type does not allow. Then nothing is changed.
 */
export async function updateDocument(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<StoredVersion> {
  const { plan } = target
  const changes = plan.draftAndPublish
    ? plan.validators.draft(data, { creating: false })
    : plan.validators.direct(data, { creating: false })
  if (!isDocumentId(target.documentId)) throw new NotFoundError('Not Found')
  if (plan.draftAndPublish || plan.localized) {
    return context.database.transact((session) =>
      updateVersions(context, target, { data, changes }, session),
    )
  }
  // A document of one version: one command, atomic by itself.
  await assertFree(context, target, changes, undefined)
  const patched = await patch(context, target, changes, undefined)
  if (patched !== null) return patched
  if (plan.kind === 'singleType') return createDocument(context, target, data)
  throw new NotFoundError('Not Found')
}

interface Update {
  /** As it was sent: a locale that is missing is created from it. */
  readonly data: unknown
  /** Checked, in stored form. */
  readonly changes: Data
}

async function updateVersions(
  context: DocumentContext,
  target: WriteTarget,
  { data, changes }: Update,
  session: Session,
): Promise<StoredVersion> {
  const { plan, key } = target
  if (!plan.draftAndPublish) await assertFree(context, target, changes, session)
  const patched = await patch(context, target, changes, session)
  if (patched === null) return addLocale(context, target, data, session)
  await setInOtherLocales(context.database, plan, patched, pickShared(plan, changes), session)
  return plan.draftAndPublish && key.status === 'published'
    ? publish(context, plan, patched, session)
    : patched
}

/** Writes go to the draft where there is one. */
function patch(
  { database, now }: DocumentContext,
  { plan, documentId, key }: WriteTarget,
  changes: Data,
  session: Session | undefined,
): Promise<StoredVersion | null> {
  const at = now()
  const written = plan.draftAndPublish
    ? { status: 'draft' as const, stamps: { updatedAt: at } }
    : { status: 'published' as const, stamps: { updatedAt: at, publishedAt: at } }
  return patchVersion(
    database,
    plan,
    { documentId, key: { locale: key.locale, status: written.status } },
    { ...changes, ...written.stamps },
    session,
  )
}

async function addLocale(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
  session: Session,
): Promise<StoredVersion> {
  const { plan, documentId } = target
  const versions = await getAllVersions(context.database, plan, documentId, session)
  const sibling = versions.find(({ status }) => status === 'draft') ?? versions[0]
  if (sibling === undefined && plan.kind === 'collectionType') throw new NotFoundError('Not Found')
  const begun = sibling === undefined ? {} : sharedPayload(plan, sibling)
  const values = checkNew(plan, { ...begun, ...(data as Data) }) // `data` was checked to be an object
  const created = await createVersions(context, target, values, session)
  if (sibling !== undefined) {
    await setInOtherLocales(context.database, plan, created, pickShared(plan, created), session)
  }
  return created
}

/** The whole draft becomes the published version; what locales share goes to their published ones. */
async function publish(
  context: DocumentContext,
  plan: ContentTypePlan,
  draft: StoredVersion,
  session: Session,
): Promise<StoredVersion> {
  const { database, ids, now } = context
  const { documentId, locale, updatedAt } = draft
  plan.validators.publishable(draft)
  const key = { locale, status: 'published' as const }
  await assertFree(context, { plan, documentId, key }, draft, session)
  const [id = 0] = await ids.take(plan.collectionName, 1)
  const published = await putVersion(
    database,
    plan,
    { ...draft, ...key, id, updatedAt, publishedAt: now() },
    session,
  )
  if (published.id !== id) ids.giveBack(plan.collectionName, id)
  await setInOtherLocales(database, plan, published, pickShared(plan, published), session)
  return published
}
