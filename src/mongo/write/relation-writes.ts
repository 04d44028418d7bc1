import type { Document } from 'mongodb'
import type { Status } from '../../query/query.ts'
import type { ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { commitIdOf } from '../connection/commit-record.ts'
import { STATE, UNKNOWN } from '../versions/line-state.ts'
import { COMMIT, newRevision, REVISION } from '../versions/revision.ts'
import { noteChanged } from './note-versions.ts'
import {
  asVersion,
  type StoredVersion,
  type VersionDocument,
  versionsOf,
} from '../versions/stored-version.ts'
import { matchDocument } from '../versions/version-match.ts'
import { takeDocuments } from './take-turns.ts'
import { optionsOf, inSession } from '../connection/commands.ts'

/** One side of a two-way relation that another side writes: whose versions, and of which kind. */
export interface OwnerVersions {
  /** As seen from the inverse side; its `otherSide` is the owner's attribute. */
  readonly relation: RelationPlan
  readonly locale: string
  /** All locales of an owner have the same targets; then `locale` selects none of them. */
  readonly isShared: boolean
  readonly statuses: readonly Status[]
  /** When the other side was written: those that it changes were updated then. */
  readonly at: Date
}

/** The versions that own a document, in the order of their ids. */
export async function findOwners(
  database: Database,
  owners: OwnerVersions,
  documentId: string,
  session: Session,
): Promise<readonly Pick<StoredVersion, 'documentId' | 'status'>[]> {
  const { plan, attribute, match } = ownersOf(owners)
  const found = await inSession(session, () =>
    versionsOf(database, plan)
      .find(
        { ...match, [attribute]: documentId },
        {
          ...optionsOf(database, session),
          projection: { _id: 0, documentId: 1, status: 1, id: 1 },
          sort: { id: 1 },
        },
      )
      .toArray(),
  )
  return found.map(asVersion)
}

/** Makes a document a target of these owners; one that holds a single target loses its former one. */
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

/** Takes a document from the targets of these owners. */
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

/**
 * Drafts and published versions each by themselves: two that hold different things must not come to be
 * the same revision.
 */
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
    const revision = newRevision()
    await inSession(session, async () => {
      const { modifiedCount: count } = await versionsOf(database, plan).updateMany(
        { ...match, status, ...which },
        {
          ...operators,
          $set: { ...set, updatedAt: owners.at, [REVISION]: revision },
          $max: { [COMMIT]: commitIdOf(session), [STATE]: UNKNOWN },
        },
        optionsOf(database, session),
      )
      const among = { ...match, status, documentId: { $in: [...ownerIds] } }
      await noteChanged(database, plan, { which: among, revision, count }, session)
    })
  }
}

/** What a version of an owner takes for itself alone. */
export interface Taken {
  readonly relation: RelationPlan
  /** A documentId. */
  readonly target: string
}

/** The inverse end of a two-way one-to-one relation. */
export interface Claimed {
  readonly plan: ContentTypePlan
  readonly attribute: string
  /** A documentId. */
  readonly target: string
}

/**
 * Of a two-way one-to-one relation: notes the owner with the target, in all versions of that. Of two that
 * take one target at once neither sees the other's version yet: writing the same document, one has to
 * wait for the other, and to look again. The target shows what its owners hold, so that its own revision stays.
 */
export async function claimTarget(
  database: Database,
  { documentId }: Pick<StoredVersion, 'documentId'>,
  { plan, attribute, target }: Claimed,
  session: Session,
): Promise<void> {
  takeDocuments(plan, [target], session)
  await inSession(session, () =>
    versionsOf(database, plan).updateMany(
      matchDocument(target),
      { $set: { [attribute]: [documentId] }, $max: { [STATE]: UNKNOWN } },
      optionsOf(database, session),
    ),
  )
}

type Taker = Pick<StoredVersion, 'documentId' | 'locale' | 'status'>

/** Other documents' versions that hold one of these targets, with the attributes that hold them. */
export async function findRivals(
  database: Database,
  plan: ContentTypePlan,
  taker: Taker,
  taken: readonly Taken[],
  session: Session,
): Promise<readonly VersionDocument[]> {
  if (taken.length === 0) return []
  const names = taken.map(({ relation }) => relation.name)
  return inSession(session, () =>
    versionsOf(database, plan)
      .find(
        { $or: taken.map((each) => holding(plan, taker, each)) },
        {
          ...optionsOf(database, session),
          projection: Object.fromEntries(['documentId', ...names].map((name) => [name, 1])),
        },
      )
      .toArray(),
  )
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
    [relation.name]: target,
  }
}

/**
 * Of two-way one-to-one relations: takes targets from every other owner that holds them, in all locales
 * where they share them. One look for all of them, and one write for each relation in which another does.
 */
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
  if (taken.length === 0) return
  const options = optionsOf(database, session)
  const taker = { documentId, locale, status }
  await inSession(session, async () => {
    const rivals = await findRivals(database, plan, taker, taken, session)
    for (const each of taken) {
      const { relation, target } = each
      const losing = rivals.filter((rival) => rival[relation.name] === target)
      if (losing.length === 0) continue
      const losers = losing.map((rival) => String(rival['documentId']))
      takeDocuments(plan, losers, session)
      const revision = newRevision()
      const { modifiedCount: count } = await versionsOf(database, plan).updateMany(
        holding(plan, taker, each),
        {
          $set: { [relation.name]: null, updatedAt, [REVISION]: revision },
          $max: { [COMMIT]: commitIdOf(session), [STATE]: UNKNOWN },
        },
        options,
      )
      const which = { _id: { $in: losing.map(({ _id }) => _id) } }
      await noteChanged(database, plan, { which, revision, count }, session)
    }
  })
}

function ownersOf({ relation, locale, isShared, statuses }: OwnerVersions): {
  readonly plan: ContentTypePlan
  readonly attribute: string
  readonly match: Document
  readonly toMany: boolean
} {
  const plan = relation.target()
  const attribute = relation.otherSide ?? ''
  const other = plan.attributes.get(attribute)
  if (other?.kind !== 'relation') throw new Error(`${plan.uid} has no relation ${attribute}`)
  return {
    plan,
    attribute,
    match: { status: { $in: [...statuses] }, ...(isShared ? {} : { locale }) },
    toMany: other.toMany,
  }
}
