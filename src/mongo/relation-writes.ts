import type { Document } from 'mongodb'
import type { Status } from '../query/query.ts'
import type { ContentTypePlan, RelationPlan } from '../schema/plan.ts'
import type { Database, Session } from './database.ts'
import { asVersion, optionsOf, run, type StoredVersion, versionsOf } from './stored-version.ts'
import { matchDocument } from './version-match.ts'

/** Which documents there are of those named, whatever their locales and statuses. */
export interface ExistingDocuments {
  readonly documentIds: ReadonlySet<string>
  /** The document that each numeric id belongs to. */
  readonly byId: ReadonlyMap<number, string>
}

/** Looks up documents by documentId and by the numeric id of a version: one query. */
export async function findExisting(
  database: Database,
  plan: ContentTypePlan,
  named: { readonly documentIds: ReadonlySet<string>; readonly ids: ReadonlySet<number> },
): Promise<ExistingDocuments> {
  const conditions: Document[] = []
  if (named.documentIds.size > 0) conditions.push({ documentId: { $in: [...named.documentIds] } })
  if (named.ids.size > 0) {
    // With the status in front the list index serves it.
    conditions.push({ status: { $in: ['draft', 'published'] }, id: { $in: [...named.ids] } })
  }
  if (conditions.length === 0) return { documentIds: new Set(), byId: new Map() }
  const found = await run(undefined, () =>
    versionsOf(database, plan)
      .find(
        { $or: conditions },
        { ...optionsOf(database, undefined), projection: { _id: 0, documentId: 1, id: 1 } },
      )
      .toArray(),
  )
  const versions = found as readonly Document[] as readonly { documentId: string; id: number }[]
  return {
    documentIds: new Set(versions.map(({ documentId }) => documentId)),
    byId: new Map(versions.map(({ documentId, id }) => [id, documentId])),
  }
}

/** One side of a two-way relation that another side writes: whose versions, and of which kind. */
export interface OwnerVersions {
  /** As seen from the inverse side; its `otherSide` is the owner's attribute. */
  readonly relation: RelationPlan
  readonly locale: string | null
  readonly statuses: readonly Status[]
}

/** The versions that own a document, in the order of their ids. */
export async function findOwners(
  database: Database,
  owners: OwnerVersions,
  documentId: string,
  session: Session,
): Promise<readonly Pick<StoredVersion, 'documentId' | 'status'>[]> {
  const { plan, attribute, match } = ownersOf(owners)
  const found = await run(session, () =>
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
  const { plan, attribute, match, toMany } = ownersOf(owners)
  await run(session, () =>
    versionsOf(database, plan).updateMany(
      { ...match, documentId: { $in: [...ownerIds] } },
      toMany ? { $addToSet: { [attribute]: documentId } } : { $set: { [attribute]: documentId } },
      optionsOf(database, session),
    ),
  )
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
  const { plan, attribute, match, toMany } = ownersOf(owners)
  await run(session, () =>
    versionsOf(database, plan).updateMany(
      { ...match, documentId: { $in: [...ownerIds] }, [attribute]: documentId },
      toMany ? { $pull: { [attribute]: documentId } as never } : { $set: { [attribute]: null } },
      optionsOf(database, session),
    ),
  )
}

/** What a version of an owner takes for itself alone. */
export interface Taken {
  readonly relation: RelationPlan
  /** A documentId. */
  readonly target: string
}

/**
 * Of a two-way one-to-one relation: notes the owner with the target, in all versions of that. Of two that
 * take one target at once neither sees the other's version yet: writing the same document, one has to
 * wait for the other, and to look again.
 */
export async function claimTarget(
  database: Database,
  { documentId }: Pick<StoredVersion, 'documentId'>,
  { relation, target }: Taken,
  session: Session,
): Promise<void> {
  if (relation.otherSide === null) return
  const claim = { [relation.otherSide]: [documentId] }
  await run(session, () =>
    versionsOf(database, relation.target()).updateMany(
      matchDocument(target),
      { $set: claim },
      optionsOf(database, session),
    ),
  )
}

/** Of a two-way one-to-one relation: takes a target from every other owner that holds it. */
export async function takeFromOthers(
  database: Database,
  plan: ContentTypePlan,
  { documentId, locale, status }: Pick<StoredVersion, 'documentId' | 'locale' | 'status'>,
  { relation, target }: Taken,
  session: Session,
): Promise<void> {
  await run(session, () =>
    versionsOf(database, plan).updateMany(
      { status, locale, [relation.name]: target, documentId: { $ne: documentId } },
      { $set: { [relation.name]: null } },
      optionsOf(database, session),
    ),
  )
}

function ownersOf({ relation, locale, statuses }: OwnerVersions): {
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
    match: { status: { $in: [...statuses] }, locale },
    toMany: other.toMany,
  }
}
