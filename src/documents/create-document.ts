import { validationError } from '../errors.ts'
import type { Session } from '../mongo/database.ts'
import { retryCollisions } from '../mongo/retry-collisions.ts'
import type { StoredVersion } from '../mongo/stored-version.ts'
import { findTaken } from '../mongo/unique-values.ts'
import { insertVersions } from '../mongo/write-versions.ts'
import type { Status, VersionKey } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { DocumentContext } from './context.ts'

/** One locale of one document, and the status that a write leaves it in. */
export interface WriteTarget {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly key: VersionKey
}

/**
 * Stores a new document and answers the version asked for. What is published in a type with draft &
 * publish has a draft of the same values beside it.
 * @throws ValidationError for data that the content-type does not allow; then nothing is stored.
 */
export function createDocument(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<StoredVersion> {
  const { plan, key } = target
  const values = checkNew(plan, data)
  return retryCollisions(() =>
    hasTwoVersions(plan, key)
      ? context.database.transact((session) => createVersions(context, target, values, session))
      : createVersions(context, target, values, undefined),
  )
}

/** The values of a new version, defaults included, in stored form. */
export function checkNew(plan: ContentTypePlan, data: unknown): Data {
  return plan.draftAndPublish
    ? plan.validators.draft(data, { creating: true })
    : plan.validators.direct(data, { creating: true })
}

/** Puts the versions that `target` names; `values` were checked by `checkNew`. */
export async function createVersions(
  context: DocumentContext,
  { plan, documentId, key }: WriteTarget,
  values: Data,
  session: Session | undefined,
): Promise<StoredVersion> {
  const all = { ...unsetAttributes(plan), ...values }
  if (key.status === 'published') {
    if (plan.draftAndPublish) plan.validators.publishable(all)
    await assertFree(context, { plan, documentId, key }, all, session)
  }
  const statuses: readonly [Status, ...Status[]] = hasTwoVersions(plan, key)
    ? ['published', 'draft']
    : [key.status]
  const ids = await context.ids.take(plan.collectionName, statuses.length)
  const now = context.now()
  const toVersion = (status: Status, index: number): StoredVersion => ({
    ...all,
    id: ids[index] ?? 0,
    documentId,
    locale: key.locale,
    status,
    createdAt: now,
    updatedAt: now,
    publishedAt: status === 'published' ? now : null,
  })
  const asked = toVersion(statuses[0], 0)
  const others = statuses.slice(1).map((status, index) => toVersion(status, index + 1))
  await insertVersions(context.database, plan, [asked, ...others], session)
  return asked
}

/**
 * @throws ValidationError naming every unique attribute whose value another document has published in
 * this locale.
 */
export async function assertFree(
  { database }: DocumentContext,
  { plan, documentId, key }: WriteTarget,
  values: Data,
  session: Session | undefined,
): Promise<void> {
  const document = { documentId, locale: key.locale }
  const [fault, ...others] = await findTaken(database, plan, document, values, session)
  if (fault !== undefined) throw validationError([fault, ...others])
}

function hasTwoVersions(plan: ContentTypePlan, key: VersionKey): boolean {
  return plan.draftAndPublish && key.status === 'published'
}

function unsetAttributes(plan: ContentTypePlan): Data {
  return Object.fromEntries(
    [...plan.attributes.values()]
      .filter(({ kind }) => kind === 'scalar')
      .map(({ name }) => [name, null]),
  )
}
