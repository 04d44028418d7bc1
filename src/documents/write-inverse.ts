import {
  addToOwners,
  findOwnerIds,
  type OwnerVersions,
  removeFromOwners,
  takeFromOthers,
} from '../mongo/relation-writes.ts'
import type { Session } from '../mongo/database.ts'
import type { StoredVersion } from '../mongo/stored-version.ts'
import type { Status } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'
import type { RelationPlan } from '../schema/plan.ts'
import type { DocumentContext } from './context.ts'
import { applyRelationChange, type DocumentChange } from './relation-change.ts'
import type { DocumentChanges } from './relation-input.ts'
import { listOf } from './relation-list.ts'
import type { WriteTarget } from './write-target.ts'
import { exclusiveChanges, inverseChanges } from './write-values.ts'

/**
 * Carries a written version's relations to the documents at their other ends, in the same transaction:
 * owners learn of what was given through an inverse side, and one-to-one targets leave their former owner.
 * Answers the order that each inverse side was given, to be stored with the version.
 */
export async function writeOtherSides(
  context: DocumentContext,
  target: WriteTarget,
  version: StoredVersion,
  changes: DocumentChanges,
  session: Session,
): Promise<Data> {
  const orders: Data = {}
  for (const [relation, change] of inverseChanges(target.plan, changes)) {
    const order = await writeInverse(context, target, version, [relation, change], session)
    orders[relation.name] = order
  }
  for (const relation of exclusiveChanges(target.plan, changes)) {
    const [held] = listOf(version[relation.name])
    if (held === undefined) continue
    const taken = { relation, target: held }
    await takeFromOthers(context.database, target.plan, version, taken, session)
  }
  return orders
}

async function writeInverse(
  { database }: DocumentContext,
  target: WriteTarget,
  version: StoredVersion,
  [relation, change]: readonly [RelationPlan, DocumentChange],
  session: Session,
): Promise<readonly string[]> {
  const { documentId } = version
  let order: readonly string[] = []
  for (const owners of ownerVersions(relation, target, version.status)) {
    const members = await findOwnerIds(database, owners, documentId, session)
    const before = inOrder(members, listOf(version[relation.name]))
    const after = applyRelationChange(before, change)
    const kept = relation.toMany ? after : after.slice(-1)
    const [was, is] = [new Set(before), new Set(kept)]
    await removeFromOwners(
      database,
      owners,
      documentId,
      before.filter((id) => !is.has(id)),
      session,
    )
    await addToOwners(
      database,
      owners,
      documentId,
      kept.filter((id) => !was.has(id)),
      session,
    )
    order = kept
  }
  return order
}

/**
 * Which versions of the owners hear of it: those of the written version's locale and status. A type
 * without drafts speaks of its owners' drafts and published versions alike.
 */
function ownerVersions(
  relation: RelationPlan,
  { plan, writer, key }: WriteTarget,
  status: Status,
): readonly OwnerVersions[] {
  const owner = relation.target()
  const locale = owner.localized ? (key.locale ?? writer.locale) : null
  if (!owner.draftAndPublish) return [{ relation, locale, status: 'published' }]
  const statuses: readonly Status[] = plan.draftAndPublish ? [status] : ['draft', 'published']
  return statuses.map((each) => ({ relation, locale, status: each }))
}

/** Members in the order that was given; those it does not know come after, as they are. */
function inOrder(members: readonly string[], given: readonly string[]): readonly string[] {
  const rank = new Map(given.map((documentId, index) => [documentId, index]))
  const rankOf = (documentId: string): number => rank.get(documentId) ?? given.length
  return members.toSorted((one, other) => rankOf(one) - rankOf(other))
}
