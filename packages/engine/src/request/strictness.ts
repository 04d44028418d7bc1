/**
 * Ways in which a deployment of MongoDB is stricter than this engine needs to be, for tests of what must run
 * on both. Each is off unless it is asked for.
 */
export interface Strictness {
  /**
   * How long, in seconds, a transaction stays open after the last connection that used it has closed.
   * MongoDB keeps it for transactionLifetimeLimitSeconds (60), then waits for its reaper; `killSessions`
   * ends it at once there and here. @default 1
   */
  readonly lostTransactionSeconds?: number
  /**
   * Takes `shardCollection`, and refuses of such a collection what mongos before 7.0 refuses: a write of one
   * document whose filter does not name the shard key. @default false
   */
  readonly sharding?: boolean
  /**
   * Inserts and updates report a duplicate key by its message alone, as mongos does; findAndModify has
   * `keyPattern` and `keyValue` all the same. @default false
   */
  readonly bareDuplicates?: boolean
  /**
   * Supports snapshot reads, and takes `holdMajority: 'begin'`: until `'end'` or `'rollBack'`, reads with read concern
   * `majority` or `snapshot` return the data of that moment, and writes with `w: 'majority'` are applied but not
   * acknowledged. `'rollBack'` undoes all writes since. @default false
   */
  readonly replicaSet?: boolean
  /**
   * Milliseconds between the effect of a write, which others can read, and its reply to the writer. @default 0
   */
  readonly lateRepliesMs?: number
}
