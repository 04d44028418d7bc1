import { currentAuthorship } from '../../mongo/connection/authorship.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { type Patch, patchTogether } from '../../mongo/write/patch-together.ts'
import { reservedAttributes } from '../../mongo/write/reservations.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { completeValues, exclusiveRelations } from '../payload/write-values.ts'
import type { WriteTarget } from '../write-target.ts'
import { reachesOthers, type Update } from './update-versions.ts'
import { stampsOf, writtenKey } from './version-steps.ts'

/**
 * A change of one document that no other document, and no other locale, hears of, as it may be written together with
 * those of other documents; null for any other change.
 */
export function patchOf(
  { database, now }: DocumentContext,
  target: WriteTarget,
  { prepared }: Update,
): Patch | null {
  const { plan, documentId, key, condition } = target
  const isPublishing = plan.draftAndPublish && key.status === 'published'
  const isSimple =
    database.hasTransactions &&
    condition === undefined &&
    !prepared.needsStored &&
    !plan.sharded &&
    !reachesOthers(target, prepared) &&
    reservedAttributes(plan).length === 0 &&
    !isClaimed(plan) &&
    !(isPublishing && exclusiveRelations(plan).length > 0)
  if (!isSimple) return null
  const publish = (draft: StoredVersion): StoredVersion => {
    plan.validators.publishable(draft)
    return { ...draft, status: 'published', publishedAt: now() }
  }
  return {
    documentId,
    ...writtenKey(target),
    changes: { ...completeValues(plan, prepared, {}), ...stampsOf(plan, now()) },
    publish: isPublishing ? publish : null,
    authorship: currentAuthorship(),
  }
}

/** Whether others note in its versions that they have taken them, by writes that are no revision of it (`claimTarget`). */
function isClaimed({ attributes }: ContentTypePlan): boolean {
  return [...attributes.values()].some(
    (attribute) =>
      attribute.kind === 'relation' &&
      attribute.side === 'inverse' &&
      attribute.relation === 'oneToOne',
  )
}

/** Writes it together with those that come at once. Null: nothing was written, it needs a transaction of its own. */
export function updateTogether(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  patch: Patch,
): Promise<StoredVersion | null> {
  const kind = `update ${plan.collectionName}`
  const key = `${patch.documentId} ${patch.locale}`
  return database.gatherWrites(kind, key, patch, (patches) =>
    patchTogether(database, plan, patches),
  )
}
