import type { Principal } from '../../people/access/principal.ts'
import { ApplicationError, because, ValidationError } from '../../base/errors.ts'
import { isRefusal } from '../../base/is-refusal.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { type HeldDocuments, holding } from '../../mongo/write/hold-documents.ts'
import { lockDocuments } from '../../mongo/write/lock-document.ts'
import { takeDocuments } from '../../mongo/sharing/write-turns.ts'
import { retryCollisions } from '../../mongo/write/write-path.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import type { ActionLocales } from '../../query/query.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { assertSeen, retryChanged, type SeenVersions } from '../hooks/seen-versions.ts'
import { writeRulesOf } from '../rules/principal-rules.ts'
import { hookAction } from '../write/publish-document.ts'
import { checkItems, type ItemFault, shownItemError, toItemFault } from './check-items.ts'
import { type PlanningContext, publishablePlan } from './planning.ts'
import type { ReleaseItem, ReleaseRow } from './release-rows.ts'
import { changeInside, getRelease } from './releases.ts'
import { assertMayAct, runAction } from './run-action.ts'

/** @throws ValidationError with all faults; NotFoundError; ConflictError if it is scheduled or published */
export async function publishRelease(
  context: PlanningContext,
  principal: Principal,
  id: string,
  origin: WriteOrigin,
): Promise<ReleaseRow> {
  const { database } = context.documents
  return retryChanged(async () => {
    await assertFaultless(context, principal, id)
    const seen = await hookItems(context, principal, { id, origin })
    const publish = (session: Session): Promise<ReleaseRow> =>
      publishAll(context, principal, { id, from: 'open', seen }, session)
    return holdingItems(context, id, () =>
      retryCollisions(() => database.transact(publish, origin)),
    )
  })
}

export async function holdingItems<T>(
  context: PlanningContext,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const { items } = await getRelease(context, id)
  return holding(context.documents.database, byType(context, items), work)
}

export async function publishScheduled(
  context: PlanningContext,
  principal: Principal,
  { id, seen }: { readonly id: string; readonly seen: SeenItems },
  session: Session,
): Promise<void> {
  await publishAll(context, principal, { id, from: 'scheduled', seen }, session)
}

/** @throws ValidationError with the faults of all items; NotFoundError */
export async function assertFaultless(
  context: PlanningContext,
  principal: Principal,
  id: string,
): Promise<void> {
  const { items } = await getRelease(context, id)
  throwFaults(await checkItems(context, principal, items))
}

export type SeenItems = ReadonlyMap<string, SeenVersions | null>

/** @throws ValidationError with the refusals of all items; ExtensionFailedError */
export async function hookItems(
  context: PlanningContext,
  principal: Principal,
  { id, origin }: { readonly id: string; readonly origin: WriteOrigin },
): Promise<SeenItems> {
  const rules = writeRulesOf(principal)
  const { items } = await getRelease(context, id)
  const seen = new Map<string, SeenVersions | null>()
  const faults: ItemFault[] = []
  for (const item of inOrder(items)) {
    const { action, type, documentId, locale } = item
    const plan = publishablePlan(context, type)
    const on = { plan, documentId, locales: oneLocale(locale), origin }
    try {
      seen.set(item.id, await hookAction(context.documents, action, on))
    } catch (error) {
      if (!isRefusal(error)) throw error
      faults.push(toItemFault(item, shownItemError(context, rules, item, error)))
    }
  }
  throwFaults(faults)
  return seen
}

function oneLocale(locale: string): ActionLocales {
  return { kind: 'one', locales: [locale] }
}

function throwFaults(errors: readonly ItemFault[]): void {
  if (errors.length === 0) return
  const message = releaseFaultsMessage(errors.length)
  throw new ValidationError(message, { errors }, { code: 'release_faults' })
}

export function releaseFaultsMessage(count: number): string {
  return count === 1 ? '1 document cannot be released' : `${count} documents cannot be released`
}

interface Publication {
  readonly id: string
  readonly from: 'open' | 'scheduled'
  readonly seen: SeenItems
}

async function publishAll(
  context: PlanningContext,
  principal: Principal,
  { id, from, seen }: Publication,
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
  await assertSeenItems(context, release.items, seen, session)
  for (const item of inOrder(release.items)) await runItem(context, principal, item, session)
  return release
}

/** An item may change the document of another one, so all of them are compared first. @throws PreviousChanged */
async function assertSeenItems(
  context: PlanningContext,
  items: readonly ReleaseItem[],
  seen: SeenItems,
  session: Session,
): Promise<void> {
  const { documents } = context
  for (const { id, type, documentId, locale } of items) {
    const plan = publishablePlan(context, type)
    if (hooksOf(documents, plan) === null || seen.get(id) === null) continue
    const versions = await getAllVersions(documents.database, plan, documentId, session)
    assertSeen(seen.get(id) ?? new Map(), versions, [locale])
  }
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

/** Unpublishing first frees unique values. The sorting prevents deadlocks. */
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
    const on = { action, plan, documentId, locales: oneLocale(locale) }
    assertMayAct(principal, on)
    await runAction(context, principal, on, session)
  } catch (error) {
    if (!isRefusal(error)) throw error
    const { name, message, errorCode, codedDetails: details } = error
    const fault = { item: id, name, code: errorCode, message, details, type, documentId }
    throw new ApplicationError(
      message,
      { errors: [fault] },
      { code: 'release_faults', cause: error },
    )
  }
}
