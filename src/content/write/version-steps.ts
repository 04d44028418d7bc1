import { validationError, ValidationError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { STATE_SAME } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { findTaken } from '../../mongo/write/unique-values.ts'
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
import type { DocumentChanges } from '../payload/relation-input.ts'
import { pickShared } from '../payload/shared-values.ts'
import { exclusiveRelations, inverseChanges } from '../payload/write-values.ts'
import { contentOf } from '../../mongo/versions/stored-content.ts'
import type { WriteTarget } from '../write-target.ts'
import { type OtherSides, writeOtherSides } from './write-inverse.ts'

// Building blocks of document operations. Each step runs in the transaction of its operation.

/** Later versions adopt the orders of the first one, which itself is a copy if `isCopy` is set. */
export async function writeRelations(
  context: DocumentContext,
  target: WriteTarget,
  versions: readonly StoredVersion[],
  { changes, isCopy }: OtherSides,
  session: Session,
): Promise<readonly StoredVersion[]> {
  const { plan } = target
  if (exclusiveRelations(plan).length + inverseChanges(plan, changes).length === 0) return versions
  const related: StoredVersion[] = []
  let orders: Data = {}
  for (const [index, version] of versions.entries()) {
    const shown = { ...version, ...orders }
    const sides = { changes, isCopy: isCopy || index > 0 }
    orders = await writeOtherSides(context, target, shown, sides, session)
    if (Object.keys(orders).length === 0) {
      related.push(version)
      continue
    }
    const { documentId, locale, status } = version
    const written = { documentId, key: { locale, status } }
    // A self-relation may have changed the version, so it is read again.
    const patched = await patchVersion(context.database, plan, written, orders, session)
    related.push(patched ?? shown)
  }
  return related
}

/** Checks all attributes at once, because a rejected reservation reports only one. @throws ValidationError */
export async function assertFree(
  { database }: DocumentContext,
  { plan, documentId, key }: Pick<WriteTarget, 'plan' | 'documentId' | 'key'>,
  values: Data,
  session: Session | undefined,
): Promise<void> {
  if (!plan.sharded) return
  const document = { documentId, locale: key.locale }
  const [fault, ...others] = await findTaken(database, plan, document, values, session)
  if (fault !== undefined) throw validationError([fault, ...others], 'value_not_unique')
}

/** If `target` publishes the draft, `publishDraft` must follow. */
export function patchWritten(
  { database, now }: DocumentContext,
  target: WriteTarget,
  values: Data,
  session: Session,
): Promise<StoredVersion | null> {
  const { plan, documentId, key } = target
  const changes = { ...values, ...stampsOf(plan, now()) }
  const isPublished = plan.draftAndPublish && key.status === 'published'
  const state = isPublished ? { state: STATE_SAME as typeof STATE_SAME } : {}
  const written = { documentId, key: writtenKey(target), expected: target.seen ?? null, ...state }
  return patchVersion(database, plan, written, changes, session)
}

function stampsOf({ draftAndPublish }: ContentTypePlan, at: Date): Data {
  return draftAndPublish ? { updatedAt: at } : { updatedAt: at, publishedAt: at }
}

/** Types with drafts are written through their draft. */
export function writtenKey({ plan, key }: WriteTarget): VersionKey {
  return { locale: key.locale, status: plan.draftAndPublish ? 'draft' : 'published' }
}

export async function beginDraft(
  { database, ids }: DocumentContext,
  plan: ContentTypePlan,
  published: StoredVersion,
  session: Session,
): Promise<StoredVersion> {
  const [id = 0] = await ids.take(plan.collectionName, 1)
  const draft = { ...published, id, status: 'draft' as const, publishedAt: null }
  await insertVersions(database, plan, [draft], session, { isBeside: true })
  return draft
}

export async function putCopy(
  { database, ids }: DocumentContext,
  plan: ContentTypePlan,
  copy: StoredVersion,
  session: Session,
): Promise<StoredVersion> {
  const [id = 0] = await ids.take(plan.collectionName, 1)
  const stored = await putVersion(database, plan, { ...copy, id }, session, STATE_SAME)
  if (stored.id !== id) ids.giveBack(plan.collectionName, id)
  return stored
}

/** Sets every attribute, so that no previous value remains. */
function publishedCopy(
  plan: ContentTypePlan,
  draft: StoredVersion,
  publishedAt: Date,
): StoredVersion {
  return { ...draft, ...contentOf(plan, draft), status: 'published', publishedAt }
}

/** Also updates the shared values of other published locales. */
export async function publishDraft(
  context: DocumentContext,
  target: WriteTarget,
  { draft, changes }: { readonly draft: StoredVersion; readonly changes: DocumentChanges },
  session: Session,
): Promise<StoredVersion> {
  const { database, now } = context
  const { plan } = target
  plan.validators.publishable(draft)
  await assertFree(context, target, draft, session)
  const copy = publishedCopy(plan, draft, now())
  const published = await putCopy(context, plan, copy, session)
  const sides = { changes, isCopy: true }
  const [related = published] = await writeRelations(context, target, [published], sides, session)
  await setInOtherLocales(database, plan, related, pickShared(plan, related), session)
  return related
}

/** Includes the drafts if the new locale is published. */
export async function shareNew(
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

export function inLocale(error: ValidationError, locale: string): ValidationError {
  const { message, details, errorCode: code, faults } = error
  return new ValidationError(message, { ...details, locale }, { code, faults })
}
