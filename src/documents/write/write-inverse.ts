import {
  addToOwners,
  claimTarget,
  findOwners,
  type OwnerVersions,
  removeFromOwners,
  takeFromOthers,
} from '../../mongo/write/relation-writes.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import {
  applyRelationChange,
  applyToOneChange,
  type DocumentChange,
} from '../payload/relation-change.ts'
import type { DocumentChanges } from '../payload/relation-input.ts'
import { listOf, unique } from '../payload/relation-list.ts'
import type { WriteTarget } from '../write-target.ts'
import { exclusiveRelations, inverseChanges } from '../payload/write-values.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/** What the other ends of a written version hear of. */
export interface OtherSides {
  readonly changes: DocumentChanges
  /**
   * The version has the orders of another that was written before it: its draft's, when it is published.
   * Then it takes every target that is its alone: the draft may have got one in an earlier request.
   */
  readonly isCopy: boolean
}

/**
 * Carries a written version's relations to the documents at their other ends, in the same transaction:
 * owners learn of what was given through an inverse side, and one-to-one targets leave their former owner.
 * Answers the order that each inverse side was given, to be stored with the version.
 */
export async function writeOtherSides(
  context: DocumentContext,
  target: WriteTarget,
  version: StoredVersion,
  { changes, isCopy }: OtherSides,
  session: Session,
): Promise<Data> {
  const { database } = context
  // Before inverse sides: those of a relation with itself may change what the version holds.
  const taken = exclusiveRelations(target.plan)
    .filter(({ name }) => isCopy || changes.has(name))
    .flatMap((relation) =>
      listOf(version[relation.name]).map((held) => ({ relation, target: held })),
    )
  for (const { relation, target: held } of isCopy ? [] : taken) {
    if (relation.otherSide === null) continue
    const claimed = { plan: relation.target(), attribute: relation.otherSide, target: held }
    await claimTarget(database, version, claimed, session)
  }
  await takeFromOthers(database, target.plan, version, taken, session)
  const orders: Data = {}
  for (const [relation, change] of inverseChanges(target.plan, changes)) {
    if (!isCopy) await claimOneself(context, target, version, [relation, change], session)
    const members = await writeInverse(context, target, version, [relation, change], session)
    // A copy has its order already; what a position refers to there may be no member here yet.
    orders[relation.name] = isCopy
      ? listOf(version[relation.name])
      : changedOrder(relation, change, members, sharedOrder(target.plan, relation, version))
  }
  return orders
}

/** Two locales of one document have their owners in common where those have no locales: one has to wait. */
async function claimOneself(
  { database }: DocumentContext,
  { plan }: WriteTarget,
  { documentId: target }: StoredVersion,
  [relation, change]: readonly [RelationPlan, DocumentChange],
  session: Session,
): Promise<void> {
  const [owner] = membership(relation, change).joining
  if (relation.toMany || owner === undefined || !plan.localized) return
  if (relation.target().localized) return
  const claimed = { plan, attribute: relation.name, target }
  await claimTarget(database, { documentId: owner }, claimed, session)
}

/** A version without locales has one order for its owners of all locales: what is stored of it. */
function sharedOrder(
  plan: ContentTypePlan,
  relation: RelationPlan,
  version: StoredVersion,
): readonly string[] {
  const isShared = relation.toMany && !plan.localized && relation.target().localized
  return isShared ? listOf(version[relation.name]) : []
}

/** Answers the members before the change, as the version shows them in whatever status. */
async function writeInverse(
  { database }: DocumentContext,
  target: WriteTarget,
  version: StoredVersion,
  [relation, change]: readonly [RelationPlan, DocumentChange],
  session: Session,
): Promise<readonly string[]> {
  const { documentId } = version
  const versions = ownerVersions(relation, target, version)
  const owners = await findOwners(database, versions, documentId, session)
  const members = unique(owners.map((owner) => owner.documentId))
  const { joining, stays } = membership(relation, change)
  const leaving = members.filter((id) => !stays(id))
  const count = (id: string): number => owners.filter((owner) => owner.documentId === id).length
  // Of owners whose locales share their targets, one that was just begun may lack it.
  const isMissing = (id: string): boolean =>
    versions.isShared || count(id) < versions.statuses.length
  const missing = joining.filter(isMissing)
  await removeFromOwners(database, versions, documentId, leaving, session)
  await addToOwners(database, versions, documentId, missing, session)
  return inOrder(members, listOf(version[relation.name]))
}

function changedOrder(
  { toMany }: RelationPlan,
  change: DocumentChange,
  members: readonly string[],
  elsewhere: readonly string[],
): readonly string[] {
  if (!toMany) return listOf(applyToOneChange(members[0] ?? null, change))
  const order = applyRelationChange(members, change)
  const known = new Set([...members, ...order])
  return [...order, ...elsewhere.filter((documentId) => !known.has(documentId))]
}

interface Membership {
  readonly joining: readonly string[]
  /** Of a member before the change. */
  readonly stays: (documentId: string) => boolean
}

/** Who belongs to an inverse side after a change; what is connected stays though it is disconnected, too. */
function membership({ toMany }: RelationPlan, change: DocumentChange): Membership {
  const named =
    change.kind === 'set' ? change.targets : change.connect.map((connection) => connection.target)
  const joining = unique(toMany ? named : named.slice(-1))
  const joins = new Set(joining)
  if (change.kind === 'set' || (!toMany && joining.length > 0)) {
    return { joining, stays: (id) => joins.has(id) }
  }
  const disconnected = new Set(change.disconnect)
  return { joining, stays: (id) => joins.has(id) || !disconnected.has(id) }
}

/**
 * Which versions of the owners hear of it: those of the written version's status and locale, or of all
 * locales where these share the targets. A type without drafts speaks of its owners' drafts and
 * published versions alike.
 */
function ownerVersions(
  relation: RelationPlan,
  { plan, writer, key }: WriteTarget,
  { status, updatedAt }: Pick<StoredVersion, 'status' | 'updatedAt'>,
): OwnerVersions {
  const owner = relation.target()
  const attribute = owner.attributes.get(relation.otherSide ?? '')
  const isShared = owner.localized && attribute?.localized === false
  const own = key.locale === NO_LOCALE ? writer.locale : key.locale
  const locale = owner.localized ? own : NO_LOCALE
  const which = { relation, locale, isShared, at: updatedAt }
  if (!owner.draftAndPublish) return { ...which, statuses: ['published'] }
  return { ...which, statuses: plan.draftAndPublish ? [status] : ['draft', 'published'] }
}

/** Members in the order that was given; those it does not know come after, as they are. */
function inOrder(members: readonly string[], given: readonly string[]): readonly string[] {
  const rank = new Map(given.map((documentId, index) => [documentId, index]))
  const rankOf = (documentId: string): number => rank.get(documentId) ?? given.length
  return members.toSorted((one, other) => rankOf(one) - rankOf(other))
}
