import type { Command } from '../request/request.ts'
import { abortTransaction } from './abort-transaction.ts'
import { aggregate } from './aggregate.ts'
import { buildInfo } from './build-info.ts'
import { bulkWrite } from './bulk-write.ts'
import { collStats } from './coll-stats.ts'
import { commitTransaction } from './commit-transaction.ts'
import { configureFailPoint } from './configure-fail-point.ts'
import { count } from './count.ts'
import { createIndexes } from './create-indexes.ts'
import { create } from './create.ts'
import { dbStats } from './db-stats.ts'
import { remove } from './delete.ts'
import { distinct } from './distinct.ts'
import { dropDatabase } from './drop-database.ts'
import { dropIndexes } from './drop-indexes.ts'
import { drop } from './drop.ts'
import { endSessions } from './end-sessions.ts'
import { explain } from './explain.ts'
import { findAndModify } from './find-and-modify.ts'
import { find } from './find.ts'
import { getMore } from './get-more.ts'
import { getParameter } from './get-parameter.ts'
import { hello } from './hello.ts'
import { holdMajority } from './hold-majority.ts'
import { insert } from './insert.ts'
import { killCursors } from './kill-cursors.ts'
import { listCollections } from './list-collections.ts'
import { listDatabases } from './list-databases.ts'
import { listIndexes } from './list-indexes.ts'
import { ping } from './ping.ts'
import { shardCollection } from './shard-collection.ts'
import { update } from './update.ts'

export const COMMANDS: Readonly<Record<string, Command>> = {
  abortTransaction,
  aggregate,
  buildInfo,
  buildinfo: buildInfo,
  bulkWrite,
  collStats,
  commitTransaction,
  configureFailPoint,
  count,
  create,
  createIndexes,
  dbStats,
  dbstats: dbStats,
  delete: remove,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  endSessions,
  explain,
  findAndModify,
  findandmodify: findAndModify,
  find,
  getMore,
  getParameter,
  hello,
  holdMajority,
  insert,
  isMaster: hello,
  ismaster: hello,
  killCursors,
  killSessions: endSessions,
  listCollections,
  listDatabases,
  listIndexes,
  ping,
  refreshSessions: ping,
  shardCollection,
  update,
}
