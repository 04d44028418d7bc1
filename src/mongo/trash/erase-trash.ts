import type { Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { removeLostNotes } from './lost-notes.ts'
import type { Database, Session } from '../connection/database.ts'
import { type DeletionRow, deletionsIn, trashedVersionsIn } from './trash-rows.ts'

const PAGE = 100

export async function eraseTrashOf(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  session: Session,
): Promise<void> {
  const rows = deletionsIn(database)
  const which = { type: plan.uid, documentId: { $in: [...documentIds] } }
  const found = await rows.find(which, { session, projection: { _id: 1 } }).toArray()
  const ids = found.map(({ _id }) => _id)
  if (ids.length === 0) return
  await trashedVersionsIn(database).deleteMany({ deletion: { $in: ids } }, { session })
  await rows.deleteMany({ _id: { $in: ids } }, { session })
  await removeLostNotes(database, plan, documentIds, { session })
}

export interface TrashWalkPage {
  /** Documents of which a version in the trash has one of the values. */
  readonly documentIds: readonly string[]
  /** Null at the end. */
  readonly next: string | null
}

/** Walks the trash of a type, because no index of the trash has attributes. `member` is a stored name. */
export async function walkTrash(
  database: Database,
  { type, after, member, values }: TrashWalk,
): Promise<TrashWalkPage> {
  const page = await deletionsIn(database)
    .find(
      { type, documentId: { $gt: after } },
      { projection: { documentId: 1 }, batchSize: PAGE + 1 },
    )
    .sort({ documentId: 1 })
    .limit(PAGE)
    .toArray()
  const last = page.at(-1)
  if (last === undefined) return { documentIds: [], next: null }
  const all = await deletionsOf(database, type, [...new Set(page.map((row) => row.documentId))])
  const holding = await trashedVersionsIn(database)
    .find(
      {
        deletion: { $in: all.map(({ _id }) => _id) },
        [`version.${member}`]: { $in: [...values] },
      },
      { projection: { deletion: 1 } },
    )
    .toArray()
  const deletions = new Set(holding.map(({ deletion }) => deletion))
  const found = all.filter(({ _id }) => deletions.has(_id)).map(({ documentId }) => documentId)
  return { documentIds: [...new Set(found)], next: last.documentId }
}

export interface TrashWalk {
  readonly type: string
  /** The last documentId of the earlier page. */
  readonly after: string
  readonly member: string
  readonly values: readonly string[]
}

/** `change` gets a version with stored names. */
export async function changeTrashOf(
  database: Database,
  type: string,
  documentIds: readonly string[],
  change: (version: Document) => Document,
): Promise<void> {
  const rows = trashedVersionsIn(database)
  const deletions = await deletionsOf(database, type, documentIds)
  const found = await rows.find({ deletion: { $in: deletions.map(({ _id }) => _id) } }).toArray()
  for (const { _id, version } of found) {
    await rows.updateOne({ _id }, { $set: { version: change(version) } })
  }
}

function deletionsOf(
  database: Database,
  type: string,
  documentIds: readonly string[],
): Promise<readonly Pick<DeletionRow, '_id' | 'documentId'>[]> {
  return deletionsIn(database)
    .find({ type, documentId: { $in: [...documentIds] } }, { projection: { documentId: 1 } })
    .toArray()
}
