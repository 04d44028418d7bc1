import type { Principal } from '../../people/access/principal.ts'
import { ApplicationError, because, CmsError, ValidationError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { type HeldDocuments, holding } from '../../mongo/write/hold-documents.ts'
import { lockDocuments } from '../../mongo/write/lock-document.ts'
import { takeDocuments } from '../../mongo/write/take-turns.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import { checkItems } from './check-items.ts'
import { type PlanningContext, publishablePlan } from './planning.ts'
import type { ReleaseItem, ReleaseRow } from './release-rows.ts'
import { changeInside, getRelease } from './releases.ts'
import { assertMayAct, runAction } from './run-action.ts'

/**
 * Publishes and unpublishes all items or none.
 * @throws ValidationError with all faults; NotFoundError; ConflictError if the release is scheduled
 * or published
 */
export async function publishRelease(
  context: PlanningContext,
  principal: Principal,
  id: string,
): Promise<ReleaseRow> {
  const { database } = context.documents
  await assertFaultless(context, principal, id)
  const publish = (session: Session): Promise<ReleaseRow> =>
    publishAll(context, principal, { id, from: 'open' }, session)
  return holdingItems(context, id, () => retryCollisions(() => database.transact(publish)))
}

/** Other writers wait while `work` locks the documents in a transaction. */
export async function holdingItems<T>(
  context: PlanningContext,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const { items } = await getRelease(context, id)
  return holding(context.documents.database, byType(context, items), work)
}

/** Runs in the transaction that deletes the schedule. */
export async function publishScheduled(
  context: PlanningContext,
  principal: Principal,
  id: string,
  session: Session,
): Promise<void> {
  await publishAll(context, principal, { id, from: 'scheduled' }, session)
}

/** @throws ValidationError with the faults of all items; NotFoundError */
export async function assertFaultless(
  context: PlanningContext,
  principal: Principal,
  id: string,
): Promise<void> {
  const { items } = await getRelease(context, id)
  const errors = await checkItems(context, principal, items)
  if (errors.length === 0) return
  const message =
    errors.length === 1
      ? '1 document cannot be released'
      : `${errors.length} documents cannot be released`
  throw new ValidationError(message, { errors }, { code: 'release_faults' })
}

async function publishAll(
  context: PlanningContext,
  principal: Principal,
  { id, from }: { readonly id: string; readonly from: 'open' | 'scheduled' },
  session: Session,
): Promise<ReleaseRow> {
  // Lock first. Commits between the start of the transaction and the locks cause a write conflict.
  const { items: known } = await getRelease(context, id)
  await lockItems(context, known, session)
  const release = await changeInside(
    context,
    {
      id,
      states: [from],
      change: ({ items }) => {
        if (items.length === 0) {
          const message = 'The release is empty'
          throw new ApplicationError(message, {}, because(message, 'release.empty'))
        }
        return { state: 'published', publishedAt: context.now() }
      },
    },
    session,
  )
  const added = release.items.filter((item) => !known.some(({ id: locked }) => locked === item.id))
  await lockItems(context, added, session)
  for (const item of inOrder(release.items)) await runItem(context, principal, item, session)
  return release
}

async function lockItems(
  context: PlanningContext,
  items: readonly ReleaseItem[],
  session: Session,
): Promise<void> {
  const types = byType(context, items)
  for (const { plan, documentIds } of types) takeDocuments(plan, documentIds, session)
  for (const { plan, documentIds } of types) {
    await lockDocuments(context.documents.database, plan, documentIds, session)
  }
}

/** Sorted, so that two releases cannot deadlock. A deleted type is reported with its item. */
function byType(
  { schema }: PlanningContext,
  items: readonly ReleaseItem[],
): readonly HeldDocuments[] {
  return [...new Set(items.map(({ type }) => type))].sort().flatMap((type) => {
    const plan = schema.contentTypes.get(type)
    const own = items.filter((item) => item.type === type)
    return plan === undefined ? [] : [{ plan, documentIds: own.map((item) => item.documentId) }]
  })
}

/**
 * Unpublishing first frees unique values. Documents are sorted, so that two releases cannot
 * deadlock.
 */
function inOrder(items: readonly ReleaseItem[]): readonly ReleaseItem[] {
  const keyOf = ({ action, type, documentId, locale }: ReleaseItem): string =>
    `${action === 'unpublish' ? 0 : 1} ${type} ${documentId} ${locale}`
  return items.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/** @throws ApplicationError with the item if it has changed since the check */
async function runItem(
  context: PlanningContext,
  principal: Principal,
  { id, action, type, documentId, locale }: ReleaseItem,
  session: Session,
): Promise<void> {
  try {
    const plan = publishablePlan(context, type)
    const locales = { kind: 'one' as const, locales: [locale] }
    const on = { action, plan, documentId, locales }
    assertMayAct(principal, on)
    await runAction(context, principal, on, session)
  } catch (error) {
    if (!(error instanceof CmsError) || error.status >= 500) throw error
    const { name, message, errorCode, codedDetails: details } = error
    const fault = { item: id, name, code: errorCode, message, details, type, documentId }
    throw new ApplicationError(
      message,
      { errors: [fault] },
      { code: 'release_faults', cause: error },
    )
  }
}
