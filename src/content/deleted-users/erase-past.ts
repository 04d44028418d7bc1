import {
  changeHistoryRow,
  eraseHistoryOf,
  findTypesOf,
  removeHistoryRows,
  walkHistory,
} from '../../mongo/commits/erase-history.ts'
import { contentIn, type HistoryRow } from '../../mongo/connection/history-rows.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { changeTrashOf, eraseTrashOf, walkTrash } from '../../mongo/trash/erase-trash.ts'
import type { Data } from '../../schema/definition.ts'
import { namesUser, replaceAuthor, replaceUsers, type UserRelation } from './user-relations.ts'

export interface PastWork {
  readonly users: readonly string[]
  /** Takes the place of the users. Null removes them. */
  readonly to: string | null
  /** Deletes the past content instead. */
  readonly isDeleted: (relation: UserRelation) => boolean
}

/** The position in a walk, stored so that a restart continues there. */
export interface WalkProgress {
  readonly after: string
  note(after: string): Promise<void>
}

export async function changeTrash(
  database: Database,
  relation: UserRelation,
  work: PastWork,
  progress: WalkProgress,
): Promise<void> {
  const { uid: type } = relation.plan
  const member = relation.attribute.storedName
  const { users: values } = work
  for (let after: string | null = progress.after; after !== null;) {
    const page = await walkTrash(database, { type, after, member, values })
    await changeTrashed(database, relation, work, page.documentIds)
    after = page.next
    if (after !== null) await progress.note(after)
  }
}

async function changeTrashed(
  database: Database,
  relation: UserRelation,
  work: PastWork,
  documentIds: readonly string[],
): Promise<void> {
  if (documentIds.length === 0) return
  const { uid } = relation.plan
  if (!work.isDeleted(relation)) {
    await changeTrashOf(database, uid, documentIds, (version) =>
      replaceIn(version, [relation], work),
    )
    return
  }
  await database.transact(async (session) => {
    await eraseTrashOf(database, relation.plan, documentIds, session)
    await eraseHistoryOf(database, documentIds, session)
  })
}

/** Walks the whole history, because no index of it has attributes. */
export async function changeHistory(
  database: Database,
  relations: readonly UserRelation[],
  work: PastWork,
  progress: WalkProgress,
): Promise<void> {
  const members = [...new Set(relations.map(({ attribute }) => attribute.storedName))]
  for (let after = progress.after; ;) {
    const page = await walkHistory(database, { after, members })
    const last = page.at(-1)
    if (last === undefined) return
    const found = page.filter((row) => members.some((member) => namesIn(row, member, work)))
    await changeRows(database, relations, work, found)
    after = last._id
    await progress.note(after)
  }
}

async function changeRows(
  database: Database,
  relations: readonly UserRelation[],
  work: PastWork,
  rows: readonly HistoryRow[],
): Promise<void> {
  const types = await findTypesOf(database, rows)
  const removed: string[] = []
  for (const row of rows) {
    const type = types.get(row._id)
    const named = relations.filter(
      ({ plan, attribute }) => plan.uid === type && namesIn(row, attribute.storedName, work),
    )
    // The history of a commit that is no longer stored cannot be read.
    if (type === undefined || named.some(work.isDeleted)) removed.push(row._id)
    else if (named.length > 0) {
      await changeHistoryRow(database, row._id, (content) => replaceIn(content, named, work))
    }
  }
  await removeHistoryRows(database, removed)
}

function namesIn(row: HistoryRow, member: string, { users }: PastWork): boolean {
  return row.versions.some(({ item }) => namesUser(contentIn(row, item)?.[member], users))
}

function replaceIn(
  content: Data,
  relations: readonly UserRelation[],
  { users, to }: PastWork,
): Data {
  const names = relations
    .map(({ attribute }) => attribute.storedName)
    .filter((name) => Object.hasOwn(content, name))
  const changed = names.map((name) => [name, replaceUsers(content[name], users, to)] as const)
  const authors = ['createdBy', 'updatedBy']
    .filter((name) => Object.hasOwn(content, name))
    .map((name) => [name, replaceAuthor(content[name], users, to)] as const)
  return { ...content, ...Object.fromEntries([...authors, ...changed]) }
}
