import type { Authorship } from '../../mongo/connection/authorship.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { type Patch, patchTogether } from '../../mongo/write/patch-together.ts'
import { reservedAttributes } from '../../mongo/write/reservations.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { completeValues, exclusiveRelations } from '../payload/write-values.ts'
import type { WriteTarget } from '../write-target.ts'
import { reachesOthers, type Update } from './update-versions.ts'
import { publishedCopy, stampsOf, writtenKey } from './version-steps.ts'

/** Returns null for a change that affects other documents or locales, which needs its own transaction. */
export function patchOf(
  { database, now }: DocumentContext,
  target: WriteTarget,
  { prepared }: Update,
  authorship: Authorship,
): Patch | null {
  const { plan, documentId, key, condition } = target
  const isPublishing = plan.draftAndPublish && key.status === 'published'
  const isAlone =
    !database.hasTransactions ||
    condition !== undefined ||
    prepared.needsStored ||
    reachesOthers(target, prepared) ||
    !isPatched(plan, { isPublishing })
  if (isAlone) return null
  const publish = (draft: StoredVersion): StoredVersion => {
    plan.validators.publishable(draft)
    return publishedCopy(plan, draft, now())
  }
  return {
    documentId,
    ...writtenKey(target),
    changes: { ...completeValues(plan, prepared, {}), ...stampsOf(plan, now()) },
    publish: isPublishing ? publish : null,
    authorship,
  }
}

/** Whether a write affects a single row and always creates a new revision. */
function isPatched(
  plan: ContentTypePlan,
  { isPublishing }: { readonly isPublishing: boolean },
): boolean {
  return (
    !plan.sharded &&
    reservedAttributes(plan).length === 0 &&
    !isClaimed(plan) &&
    !(isPublishing && exclusiveRelations(plan).length > 0)
  )
}

/** Whether other documents claim its versions with `claimTarget`, which writes without a new revision. */
function isClaimed({ attributes }: ContentTypePlan): boolean {
  return [...attributes.values()].some(
    (attribute) =>
      attribute.kind === 'relation' &&
      attribute.side === 'inverse' &&
      attribute.relation === 'oneToOne',
  )
}

interface Change {
  readonly patch: Patch
  readonly alone: () => Promise<StoredVersion>
}

/** Null means that nothing was written and the change needs its own transaction. */
export function updateTogether(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  change: Change,
): Promise<StoredVersion | null> {
  const kind = `update ${plan.collectionName}`
  const key = `${change.patch.documentId} ${change.patch.locale}`
  return database.gatherWrites<Change, StoredVersion>(kind, key, change, async (changes) => {
    const [first, ...others] = changes
    if (first !== undefined && others.length === 0) return [await first.alone()]
    return patchTogether(
      database,
      plan,
      changes.map(({ patch }) => patch),
    )
  })
}
