import type { Document } from 'mongodb'
import type { Status } from '../../query/query.ts'
import type { ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { STATE_FIELD, STATE_UNKNOWN } from '../versions/version-fields.ts'
import { asRow, asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import { matchDocument } from '../versions/version-match.ts'
import { takeDocuments } from '../sharing/write-turns.ts'
import { changeVersions } from './write-versions.ts'

/** The owning versions of a two-way relation that a write to the inverse side changes. */
export interface OwnerVersions {
  /** As declared on the inverse side. `otherSide` is the attribute of the owner. */
  readonly relation: RelationPlan
  readonly locale: string
  /** All locales of an owner share their targets, so `locale` is not part of the filter. */
  readonly isShared: boolean
  readonly statuses: readonly Status[]
  readonly at: Date
}

/** Finds the versions that own a document, ordered by id. */
export async function findOwners(
  database: Database,
  owners: OwnerVersions,
  documentId: string,
  session: Session,
): Promise<readonly Pick<StoredVersion, 'documentId' | 'status'>[]> {
  const { plan, attribute, match } = ownersOf(owners)
  const found = await versionsOf(database, plan)
    .find(
      { ...match, [attribute]: documentId },
      {
        session,
        projection: { _id: 0, documentId: 1, status: 1, id: 1 },
        sort: { id: 1 },
      },
    )
    .toArray()
  return found.map(asRow)
}

/** Adds a document to the targets of the owners. In a to-one relation it replaces the previous target. */
export async function addToOwners(
  database: Database,
  owners: OwnerVersions,
  documentId: string,
  ownerIds: readonly string[],
  session: Session,
): Promise<void> {
  if (ownerIds.length === 0) return
  const { attribute, toMany } = ownersOf(owners)
  const which = { documentId: { $in: [...ownerIds] }, [attribute]: { $ne: documentId } }
  const add: Change = toMany
    ? { operators: { $addToSet: { [attribute]: documentId } }, set: {} }
    : { operators: {}, set: { [attribute]: documentId } }
  await changeOwners(database, owners, { ownerIds, which }, add, session)
}

export async function removeFromOwners(
  database: Database,
  owners: OwnerVersions,
  documentId: string,
  ownerIds: readonly string[],
  session: Session,
): Promise<void> {
  if (ownerIds.length === 0) return
  const { attribute, toMany } = ownersOf(owners)
  const which = { documentId: { $in: [...ownerIds] }, [attribute]: documentId }
  const change: Change = toMany
    ? { operators: { $pull: { [attribute]: documentId } }, set: {} }
    : { operators: {}, set: { [attribute]: null } }
  await changeOwners(database, owners, { ownerIds, which }, change, session)
}

interface Change {
  readonly operators: Document
  readonly set: Document
}

/** Changes drafts and published versions separately, because different content must not share a revision. */
async function changeOwners(
  database: Database,
  owners: OwnerVersions,
  { ownerIds, which }: { readonly ownerIds: readonly string[]; readonly which: Document },
  { operators, set }: Change,
  session: Session,
): Promise<void> {
  const { plan, match } = ownersOf(owners)
  takeDocuments(plan, ownerIds, session)
  for (const status of owners.statuses) {
    const change = {
      filter: { ...match, status, ...which },
      among: { ...match, status, documentId: { $in: [...ownerIds] } },
      set: { ...set, updatedAt: owners.at },
      operators,
    }
    await changeVersions(database, plan, change, session)
  }
}

/** A target that an owner claims exclusively. */
export interface Taken {
  readonly relation: RelationPlan
  readonly target: string
}

/** The inverse end of a two-way one-to-one relation. */
export interface Claimed {
  readonly plan: ContentTypePlan
  readonly attribute: string
  readonly target: string
}

/** Writes the owner into the target, so that concurrent owners conflict. They do not see each other's versions. */
export async function claimTarget(
  database: Database,
  { documentId }: Pick<StoredVersion, 'documentId'>,
  { plan, attribute, target }: Claimed,
  session: Session,
): Promise<void> {
  takeDocuments(plan, [target], session)
  await versionsOf(database, plan).updateMany(
    matchDocument(target),
    {
      $set: { [storedPathOf(plan, attribute)]: [documentId] },
      $max: { [STATE_FIELD]: STATE_UNKNOWN },
    },
    { session },
  )
}

type Taker = Pick<StoredVersion, 'documentId' | 'locale' | 'status'>

/** Finds versions of other documents that reference one of these targets. */
export async function findRivals(
  database: Database,
  plan: ContentTypePlan,
  taker: Taker,
  taken: readonly Taken[],
  session: Session,
): Promise<readonly StoredVersion[]> {
  if (taken.length === 0) return []
  const names = taken.map(({ relation }) => relation.storedName)
  const rivals = await versionsOf(database, plan)
    .find(
      { $or: taken.map((each) => holding(plan, taker, each)) },
      {
        session,
        projection: Object.fromEntries(['documentId', ...names].map((name) => [name, 1])),
      },
    )
    .toArray()
  return rivals.map((row) => asVersion(plan, row))
}

function holding(
  plan: ContentTypePlan,
  { documentId, locale, status }: Taker,
  { relation, target }: Taken,
): Document {
  return {
    status,
    ...(plan.localized && !relation.localized ? {} : { locale }),
    documentId: { $ne: documentId },
    [relation.storedName]: target,
  }
}

/** Removes the targets from other owners, in all locales if shared. One query, and one update per relation. */
export async function takeFromOthers(
  database: Database,
  plan: ContentTypePlan,
  {
    documentId,
    locale,
    status,
    updatedAt,
  }: Pick<StoredVersion, 'documentId' | 'locale' | 'status' | 'updatedAt'>,
  taken: readonly Taken[],
  session: Session,
): Promise<void> {
  const taker = { documentId, locale, status }
  const rivals = await findRivals(database, plan, taker, taken, session)
  for (const each of taken) {
    const { relation, target } = each
    const losing = rivals.filter((rival) => rival[relation.name] === target)
    if (losing.length === 0) continue
    const losers = losing.map(({ documentId }) => documentId)
    takeDocuments(plan, losers, session)
    const change = {
      filter: holding(plan, taker, each),
      among: { _id: { $in: losing.map(({ _id }) => _id) } },
      set: { [relation.storedName]: null, updatedAt },
    }
    await changeVersions(database, plan, change, session)
  }
}

function ownersOf({ relation, locale, isShared, statuses }: OwnerVersions): {
  readonly plan: ContentTypePlan
  readonly attribute: string
  readonly match: Document
  readonly toMany: boolean
} {
  const plan = relation.target()
  const name = relation.otherSide ?? ''
  const other = plan.attributes.get(name)
  if (other?.kind !== 'relation') throw new Error(`${plan.uid} has no relation ${name}`)
  return {
    plan,
    attribute: other.storedName,
    match: { status: { $in: [...statuses] }, ...(isShared ? {} : { locale }) },
    toMany: other.toMany,
  }
}
