import type { ContentTypePlan } from '../../schema/plan.ts'
import { COMMITS } from '../connection/commit-record.ts'
import type { CommitItem, Database } from '../connection/database.ts'
import { type Head, headsOf } from '../commits/heads.ts'
import { versionId } from '../versions/version-match.ts'

/** The position of the index in the commit log. One process at a time moves it. */
export interface SearchFollowerRow {
  readonly _id: 'search'
  readonly log: string
  readonly cursor: number
  readonly holder: string | null
  readonly heldUntil: Date
}

export const searchFollowersOf = (database: Database) =>
  database.table<SearchFollowerRow>('quire_text_followers')

/** The progress of a type. `form` and `after` of a finished build are those of the index and null. */
export interface SearchTypeRow {
  /** The uid of the content-type. */
  readonly _id: string
  readonly form: string
  /** The last version that a running build has indexed. Empty at its start, null after its end. */
  readonly after: string | null
  /** The commit before the build. Rows that are older at its end belong to deleted versions. */
  readonly since: number
}

export const searchTypesOf = (database: Database) =>
  database.table<SearchTypeRow>('quire_text_types')

/** The commit up to which the index is exact. */
export type IndexPosition = Pick<SearchFollowerRow, 'log' | 'cursor'>

/** Read it before the index, which may only be newer. Null if it is unknown. */
export async function findIndexPosition(database: Database): Promise<IndexPosition | null> {
  // Without transactions, changes come before their rows in the log.
  if (!database.hasTransactions) return null
  return searchFollowersOf(database).findOne({ _id: 'search' })
}

const MAX_COMMITS = 500

interface CommitRow {
  readonly _id: string
  readonly seq?: number
  readonly pending?: 1
  readonly intent?: 1
  readonly items: readonly CommitItem[]
}

/** Above this number the content decides about all candidates. */
const MAX_CHANGED = 2_000

/** The versions that may have changed after a position. Null if there are too many, and while the type is built. */
export async function findChangedSince(
  database: Database,
  { uid }: Pick<ContentTypePlan, 'uid'>,
  form: string,
  position: IndexPosition,
): Promise<ReadonlySet<string> | null> {
  const [type, changed] = await Promise.all([
    searchTypesOf(database).findOne({ _id: uid }),
    findLoggedSince(database, uid, position),
  ])
  return type?.form === form && type.after === null ? changed : null
}

/** Null if there are too many, or if the log no longer has them. */
export async function findLoggedSince(
  database: Database,
  uid: string,
  position: IndexPosition,
): Promise<ReadonlySet<string> | null> {
  const changed = new Set<string>()
  const isAdded = async (place: object): Promise<boolean> => {
    await database
      .table<CommitRow>(COMMITS)
      .find({ ...place, 'items.type': uid }, { projection: ITEM_NAMES, batchSize: ROWS_AT_ONCE })
      .take(({ items }) => {
        for (const { type, documentId, ...key } of items) {
          if (type === uid) changed.add(versionId(documentId, key))
        }
        return changed.size <= MAX_CHANGED
      })
    return changed.size <= MAX_CHANGED
  }
  // In this order, because bulk writes become pending commits, and pending commits get numbers.
  if (!(await isAdded({ intent: 1 })) || !(await isAdded({ pending: 1 }))) return null
  const head = await headsOf(database).findOne({ _id: 'main' })
  if (head === null || !isLogged(head, position)) return null
  const isAtHead = head.seq === position.cursor && head.assigning === null
  return isAtHead || (await isAdded({ seq: { $gt: position.cursor } })) ? changed : null
}

function isLogged({ log, seq, floor }: Head, position: IndexPosition): boolean {
  const { cursor } = position
  return position.log === log && cursor >= floor && seq - cursor <= MAX_COMMITS
}

const ROWS_AT_ONCE = 100

const ITEM_NAMES = {
  'items.type': 1,
  'items.documentId': 1,
  'items.locale': 1,
  'items.status': 1,
} as const
