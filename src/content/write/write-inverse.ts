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
import { relationListOf, unique } from '../../mongo/versions/stored-value.ts'
import { keepHidden } from '../payload/hidden-targets.ts'
import type { WriteTarget } from '../write-target.ts'
import { exclusiveRelations, inverseChanges } from '../payload/write-values.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

export interface OtherSides {
  readonly changes: DocumentChanges
  /** A copy takes every exclusive target, because an earlier request may have added one to the draft. */
  readonly isCopy: boolean
}

/** Returns the order of each inverse side, to be stored with the version. */
export async function writeOtherSides(
  context: DocumentContext,
  target: WriteTarget,
  version: StoredVersion,
  { changes, isCopy }: OtherSides,
  session: Session,
): Promise<Data> {
  const { database } = context
  // Must run before the inverse sides, which can change this version through a self-relation.
  const taken = exclusiveRelations(target.plan)
    .filter(({ name }) => isCopy || changes.has(name))
    .flatMap((relation) =>
      relationListOf(version[relation.name]).map((held) => ({ relation, target: held })),
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
    const written = await writeInverse(context, target, version, [relation, change], session)
    const { members } = written
    // A copy already has its order, and a position may refer to a document that is not a member here yet.
    orders[relation.name] = isCopy
      ? relationListOf(version[relation.name])
      : changedOrder(relation, written.change, members, sharedOrder(target.plan, relation, version))
  }
  return orders
}

/** Serializes writes of two locales of a document, which share their owner if owners have no locales. */
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

/** A version without locales stores one order for its owners in all locales. */
function sharedOrder(
  plan: ContentTypePlan,
  relation: RelationPlan,
  version: StoredVersion,
): readonly string[] {
  const isShared = relation.toMany && !plan.localized && relation.target().localized
  return isShared ? relationListOf(version[relation.name]) : []
}

interface WrittenInverse {
  readonly members: readonly string[]
  /** With the hidden members that a replaced list keeps. */
  readonly change: DocumentChange
}

async function writeInverse(
  context: DocumentContext,
  target: WriteTarget,
  version: StoredVersion,
  [relation, asked]: readonly [RelationPlan, DocumentChange],
  session: Session,
): Promise<WrittenInverse> {
  const { database } = context
  const { documentId } = version
  const versions = ownerVersions(relation, target, version)
  const owners = await findOwners(database, versions, documentId, session)
  const members = unique(owners.map((owner) => owner.documentId))
  const ordered = inOrder(members, relationListOf(version[relation.name]))
  const replaced = { relation, change: asked, stored: ordered }
  const change = await keepHidden(context, target.writer, replaced, session)
  const { joining, stays } = membership(relation, change)
  const leaving = members.filter((id) => !stays(id))
  const count = (id: string): number => owners.filter((owner) => owner.documentId === id).length
  // If locales share their targets, a newly created owner may lack them.
  const isMissing = (id: string): boolean =>
    versions.isShared || count(id) < versions.statuses.length
  const missing = joining.filter(isMissing)
  await removeFromOwners(database, versions, documentId, leaving, session)
  await addToOwners(database, versions, documentId, missing, session)
  return { members: ordered, change }
}

function changedOrder(
  { toMany }: RelationPlan,
  change: DocumentChange,
  members: readonly string[],
  elsewhere: readonly string[],
): readonly string[] {
  if (!toMany) return relationListOf(applyToOneChange(members[0] ?? null, change))
  const order = applyRelationChange(members, change)
  const known = new Set([...members, ...order])
  return [...order, ...elsewhere.filter((documentId) => !known.has(documentId))]
}

interface Membership {
  readonly joining: readonly string[]
  readonly stays: (documentId: string) => boolean
}

/** A document that is both connected and disconnected stays. */
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

/** Same status and locale, or all locales with shared targets. Without drafts, both statuses of the owners. */
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

/** Unknown members come last, in their current order. */
function inOrder(members: readonly string[], given: readonly string[]): readonly string[] {
  const rank = new Map(given.map((documentId, index) => [documentId, index]))
  const rankOf = (documentId: string): number => rank.get(documentId) ?? given.length
  return members.toSorted((one, other) => rankOf(one) - rankOf(other))
}
