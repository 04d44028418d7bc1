import { readNewestToken } from '../../mongo/adopted/change-streams.ts'
import { isDuplicateKey } from '../../mongo/connection/database-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { FREE_LEASE } from '../../mongo/system/row-lease.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import {
  FOREIGN,
  type FollowedCollection,
  type ForeignRow,
  foreignRowsOf,
  isSameCollection,
  noteLost,
} from './foreign-row.ts'

export interface FollowingStart {
  readonly database: Database
  readonly followed: readonly FollowedCollection[]
  /** Names the running processes of other releases, which need their collections. */
  readonly findOthers: () => Promise<readonly string[]>
  readonly now: () => Date
}

/** Before the first request: from now on, each change of the collections gets into the log. */
export async function beginFollowing(start: FollowingStart): Promise<void> {
  const rows = foreignRowsOf(start.database)
  await ensureIndexes(rows, [{ key: { heldUntil: 1 }, name: 'held' }])
  for (;;) {
    const row = await rows.findOne(FOREIGN)
    if (await (row === null ? insertRow(start) : addCollections(start, row))) return
  }
}

/** False if another process has inserted the row. */
async function insertRow({ database, followed, now }: FollowingStart): Promise<boolean> {
  const token = await readNewestToken(database)
  if (token === null) throw new Error('the database has no change streams any more')
  const at = now()
  const row = { ...FOREIGN, token, at, collections: followed, version: 1, ...FREE_LEASE }
  const types = followed.map(({ type }) => type)
  try {
    await database.transact(async (session) => {
      await foreignRowsOf(database).insertOne(row, { session })
      noteLost(session, types)
    })
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

/** False if another process has changed the row. */
async function addCollections(
  { database, followed, findOthers }: FollowingStart,
  { collections, version }: ForeignRow,
): Promise<boolean> {
  const isKnown = (one: FollowedCollection): boolean =>
    collections.some((other) => isSameCollection(one, other))
  const added = followed.filter((one) => !isKnown(one))
  const isExact = added.length === 0 && collections.length === followed.length
  if (isExact) return true
  const others = (await findOthers()).length === 0 ? [] : collections
  const kept = others.filter((one) => !followed.some((other) => isSameCollection(one, other)))
  return database.transact(async (session) => {
    const set = { collections: [...followed, ...kept], version: version + 1 }
    const changed = await foreignRowsOf(database).updateOne(
      { ...FOREIGN, version },
      { $set: set },
      { session },
    )
    if (changed.matchedCount === 0) return false
    noteLost(
      session,
      added.map(({ type }) => type),
    )
    return true
  })
}
