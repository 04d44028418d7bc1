import type { Document } from 'mongodb'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import {
  commitOfHistoryId,
  HISTORY_PREFIX,
  historyId,
  type HistoryRow,
} from '../connection/history-rows.ts'

/** Sorts after all ids of history rows. */
const BEHIND_HISTORY = 'h;'
/** Sorts after all commit ids, which are hexadecimal. */
const BEHIND_COMMITS = 'g'

/** The ids of all history rows. */
export const HISTORY_RANGE = { $gt: HISTORY_PREFIX, $lt: BEHIND_HISTORY } as const

const PAGE = 500

/** The commits themselves stay, because the audit shows them. */
export async function eraseHistoryOf(
  database: Database,
  documentIds: readonly string[],
  session: Session,
): Promise<void> {
  if (documentIds.length === 0) return
  const ranges = documentIds.map((documentId) => ({
    _id: { $gt: historyId(documentId, ''), $lt: historyId(documentId, BEHIND_COMMITS) },
    documentId, // ids of another document may have the same prefix
  }))
  await database.table<HistoryRow>(COMMITS).deleteMany({ $or: ranges }, { session })
}

export interface HistoryWalk {
  /** The last row of the earlier page. */
  readonly after: string
  /** Only these members of the contents are read. With stored names. */
  readonly members: readonly string[]
}

/** One page of the whole history, in the order of the ids. An empty page is the end. */
export async function walkHistory(
  database: Database,
  { after, members }: HistoryWalk,
): Promise<readonly HistoryRow[]> {
  const contents = members.flatMap((name) => [
    `versions.content.${name}`,
    `versions.differs.${name}`,
  ])
  const shown = ['documentId', 'versions.item', ...contents].map((name) => [name, 1] as const)
  const range = { ...HISTORY_RANGE, ...(after !== '' && { $gt: after }) }
  return database
    .table<HistoryRow>(COMMITS)
    .find({ _id: range }, { projection: Object.fromEntries(shown), batchSize: PAGE + 1 })
    .sort({ _id: 1 })
    .limit(PAGE)
    .toArray()
}

/** The content-types of the documents of these rows. A row without its commit is absent. */
export async function findTypesOf(
  database: Database,
  rows: readonly HistoryRow[],
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map()
  const commits = [...new Set(rows.map(({ _id }) => commitOfHistoryId(_id)))]
  const found = await database
    .table<PendingRow>(COMMITS)
    .find({ _id: { $in: commits } }, { batchSize: commits.length + 1 })
    .toArray()
  const items = new Map(found.map((row) => [row._id, row.items]))
  return new Map(
    rows.flatMap(({ _id, documentId }) => {
      const ofCommit = items.get(commitOfHistoryId(_id)) ?? []
      const item = ofCommit.find((one) => one.documentId === documentId)
      return item === undefined ? [] : [[_id, item.type]]
    }),
  )
}

export async function removeHistoryRows(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await database.table<HistoryRow>(COMMITS).deleteMany({ _id: { $in: [...ids] } })
}

export type ChangeContent = (content: Document) => Document

/** Changes the contents of a row. `change` gets whole contents and differences. */
export async function changeHistoryRow(
  database: Database,
  _id: string,
  change: ChangeContent,
): Promise<void> {
  const rows = database.table<HistoryRow>(COMMITS)
  const row = await rows.findOne({ _id })
  if (row === null) return
  const versions = row.versions.map(({ content, differs, ...version }) => ({
    ...version,
    ...(content !== undefined && { content: change(content) }),
    ...(differs !== undefined && { differs: change(differs) }),
  }))
  await rows.updateOne({ _id }, { $set: { versions } })
}
