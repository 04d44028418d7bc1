/**
 * Ways in which a MongoDB deployment is stricter than this engine, for tests of code that runs on
 * both. Each is off by default.
 */
export interface Strictness {
  /**
   * Seconds that a transaction stays open after its last connection has closed. MongoDB keeps it
   * for transactionLifetimeLimitSeconds (60), then waits for its reaper. `killSessions` ends it at
   * once, here and there.
   * @default 1
   */
  readonly lostTransactionSeconds?: number
  /**
   * Accepts `shardCollection`. Writes of one document to such a collection are refused as mongos
   * before 7.0 refuses them: if their filter lacks the shard key.
   * @default false
   */
  readonly sharding?: boolean
  /**
   * Inserts and updates report a duplicate key only in the message, as mongos does. findAndModify
   * still returns `keyPattern` and `keyValue`.
   * @default false
   */
  readonly bareDuplicates?: boolean
  /**
   * Supports snapshot reads, and accepts `holdMajority: 'begin'`: until `'end'` or `'rollBack'`,
   * reads with read concern `majority` or `snapshot` return the data of that moment, and writes
   * with `w: 'majority'` are applied but not acknowledged. `'rollBack'` undoes all writes since.
   * @default false
   */
  readonly replicaSet?: boolean
  /**
   * Milliseconds between the visible effect of a write and its reply to the writer.
   * @default 0
   */
  readonly lateRepliesMs?: number
  /**
   * Accepts `configureFailPoint: 'failCommand'`, as a MongoDB with `enableTestCommands` does.
   * @default false
   */
  readonly failPoints?: boolean
  /**
   * A dotted path without any value in an empty list, or in a list of scalars, equals null, as in
   * MongoDB 9.0. Before, such a document matches neither null nor a value. One engine per thread can
   * set it.
   * @default false
   */
  readonly nullOverLists?: boolean
}
