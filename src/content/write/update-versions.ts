import { NotFoundError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { getAllVersions, getWholeVersion } from '../../mongo/read/get-versions.ts'
import { isIdOf } from '../../mongo/versions/document-id.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { takeDocuments } from '../../mongo/sharing/write-turns.ts'
import { setInOtherLocales } from '../../mongo/write/write-versions.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { hasShared, pickShared } from '../payload/shared-values.ts'
import {
  completeValues,
  exclusiveRelations,
  type PreparedValues,
  prepareValues,
} from '../payload/write-values.ts'
import { assertSeenVersion, PreviousChanged } from '../hooks/seen-versions.ts'
import { keepHiddenTargets } from '../payload/hidden-targets.ts'
import { restoreLinks } from '../payload/restore-links.ts'
import { endReview, refuseUnreviewed } from '../review/stage-of.ts'
import type { WriteTarget } from '../write-target.ts'
import { createVersions, prepareNext, writesVersionsOnly } from './create-versions.ts'
import {
  assertFree,
  beginDraft,
  patchWritten,
  publishDraft,
  shareNew,
  writeRelations,
  writtenKey,
} from './version-steps.ts'
import { assertCondition, missingVersion } from './write-condition.ts'

export interface Update {
  readonly data: unknown
  readonly prepared: PreparedValues
}

/** @throws NotFoundError for a malformed documentId; ValidationError for invalid data */
export async function checkUpdate(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<Update> {
  const { plan, documentId, isTrusted = false } = target
  const { draft, direct } = plan.validators
  const given = await restoreLinks(context, target, data)
  const changes = (plan.draftAndPublish ? draft : direct)(given, { creating: false, isTrusted })
  if (!isIdOf(plan, documentId)) throw new NotFoundError('Not Found')
  const prepared = await prepareValues(context, target, changes, { creating: false })
  return { data: given, prepared }
}

export async function updateVersions(
  context: DocumentContext,
  target: WriteTarget,
  update: Update,
  session: Session,
): Promise<StoredVersion> {
  const { plan, documentId, key } = target
  const isPublishing = publishes(target)
  if (isPublishing) refuseUnreviewed(plan)
  takeDocuments(plan, [documentId], session)
  if (reachesOthers(target, update.prepared)) {
    await lockDocument(context.database, plan, documentId, session)
  }
  const compared = await assertMet(context, target, session)
  const stored = await getStored(context, compared, update.prepared, session)
  if (stored === null) return addVersion(context, compared, update, session)
  const kept = await keepHiddenTargets(context, target, update.prepared, stored, session)
  const prepared = { ...update.prepared, changes: kept }
  const values = completeValues(plan, prepared, stored)
  if (!plan.draftAndPublish) await assertFreeIfThere(context, target, values, session)
  const patched = await patchWritten(context, compared, values, session)
  if (patched === null) return addVersion(context, compared, update, session)
  const sides = { changes: prepared.changes, isCopy: false }
  const [written = patched] = await writeRelations(context, target, [patched], sides, session)
  const given = [...Object.keys(values), ...prepared.changes.keys()]
  const changed = Object.fromEntries(given.map((name) => [name, written[name]]))
  await setInOtherLocales(context.database, plan, written, pickShared(plan, changed), session)
  if (!isPublishing) return written
  const { changes } = prepared
  const published = await publishDraft(context, target, { draft: written, changes }, session)
  await endReview(context.database, { plan, documentId, locale: key.locale }, null, session)
  return published
}

export function publishes({ plan, key }: Pick<WriteTarget, 'plan' | 'key'>): boolean {
  return plan.draftAndPublish && key.status === 'published'
}

/** Reports 404 before a uniqueness error. @throws NotFoundError, ValidationError */
export async function assertFreeIfThere(
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

export function reachesOthers(target: WriteTarget, { values, changes }: PreparedValues): boolean {
  const names = publishes(target) ? 'any' : [...Object.keys(values), ...changes.keys()]
  return hasShared(target.plan, names)
}

/** Returns null if the update needs its own transaction. */
export function changedVersions(
  target: WriteTarget,
  { prepared }: Update,
): readonly VersionKey[] | null {
  const { plan, key, condition } = target
  const isPublishing = publishes(target)
  const isAlone =
    condition !== undefined ||
    readsStored(target, prepared) ||
    reachesOthers(target, prepared) ||
    !writesVersionsOnly(plan) ||
    isClaimed(plan) ||
    (isPublishing && (plan.review !== undefined || exclusiveRelations(plan).length > 0))
  if (isAlone) return null
  return isPublishing ? [writtenKey(target), key] : [writtenKey(target)]
}

function readsStored(
  target: WriteTarget,
  { needsStored }: Pick<PreparedValues, 'needsStored'>,
): boolean {
  return needsStored || isSeenElsewhere(target)
}

function isSeenElsewhere(target: WriteTarget): boolean {
  const { seen } = target
  return seen !== undefined && seen?.status !== writtenKey(target).status
}

/** Whether other documents may change versions of this type with `claimTarget`, which sets no new revision. */
function isClaimed({ attributes }: ContentTypePlan): boolean {
  return [...attributes.values()].some(
    (attribute) =>
      attribute.kind === 'relation' &&
      attribute.side === 'inverse' &&
      attribute.relation === 'oneToOne',
  )
}

/** A missing document is not rejected here, because the update responds with 404 later. */
async function assertMet(
  context: DocumentContext,
  target: WriteTarget,
  session: Session,
): Promise<WriteTarget> {
  const { condition, ...unconditional } = target
  if (condition === undefined) return target
  const { seen, ...claimed } = unconditional
  const { plan, documentId, key } = target
  const { locale } = key
  const line = { plan, documentId, locale, seen }
  const current = await assertCondition(context, line, condition, session)
  if (condition.match === null) return unconditional
  if (current !== null) return claimed
  const others = await getAllVersions(context.database, plan, documentId, session)
  if (plan.kind === 'singleType' || others.length > 0) throw missingVersion()
  return unconditional
}

/** @throws PreviousChanged */
async function getStored(
  { database }: DocumentContext,
  target: WriteTarget,
  { needsStored }: PreparedValues,
  session: Session,
): Promise<Data | null> {
  if (!readsStored(target, { needsStored })) return {}
  const { plan, documentId } = target
  const stored = await getWholeVersion(database, plan, documentId, writtenKey(target), session)
  if (stored !== null && isSeenElsewhere(target)) throw new PreviousChanged()
  return stored
}

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
  assertSeenVersion(target.seen, published ?? null)
  if (plan.draftAndPublish && published !== undefined) {
    await beginDraft(context, plan, published, session)
    const { condition: _met, seen: _compared, ...rest } = target
    return updateVersions(context, rest, update, session)
  }
  const sibling = versions.find(({ status }) => status === 'draft') ?? versions[0]
  if (sibling === undefined && plan.kind === 'collectionType') throw new NotFoundError('Not Found')
  const initial = sibling === undefined ? {} : pickShared(plan, sibling)
  // `data` was validated to be an object.
  const prepared = await prepareNext(context, target, update.data as Data, initial)
  const created = await createVersions(context, target, prepared, session, initial)
  if (sibling !== undefined) await shareNew(context, plan, created, session)
  return created
}
