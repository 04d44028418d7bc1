import type { Binary, ClientSession, Collection, Document, GridFSBucket } from 'mongodb'
import type { ReadMonitor } from '../../base/observed.ts'
import type { WriteOrigin } from './authorship.ts'
import type { CommitListener } from './commit-record.ts'
import type { GatherReads } from '../sharing/gathered-reads.ts'
import type { GatherWrites } from '../sharing/gathered-writes.ts'
import type { ReadPreferenceName } from './read-preference.ts'
import type { ReadAtOnce } from './read-at-once.ts'
import type { ShareByKey } from '../../base/share-by-key.ts'

export type Session = ClientSession
export type SessionId = Binary

export interface Moment {
  readonly database: Database
  /** Undefined if the database has no snapshot reads. */
  readonly session: Session | undefined
}

export interface Database {
  /** True on replica sets and mongos, false on a standalone mongod. */
  readonly hasTransactions: boolean
  readonly queryTimeoutMs: number
  readonly maxPoolSize: number
  /** Upper bound of a count. `total` never exceeds it. */
  readonly countLimit: number
  /** Time limit of the count of a list, in milliseconds. */
  readonly countTimeoutMs: number
  /** Maximum number of documents in a condition on a relation. Above it, they are looked up. */
  readonly relatedLimit: number
  /** Number of days that deleted content stays in the trash; 0 disables the trash. */
  readonly trashDays: number
  readonly gather: GatherReads
  readonly gatherWrites: GatherWrites
  /** Shares one count between concurrent requests for the same count. */
  readonly shareCounts: ShareByKey<string, number>
  readonly monitor: ReadMonitor | null
  readonly readAtOnce: ReadAtOnce
  /** Reads from the primary, regardless of the connection string. */
  collection<T extends Document = Document>(name: string): Collection<T>
  /**
   * Returns a view for reads from the preferred members; null applies the connection string. Its results may be
   * stale by `MAX_STALENESS_SECONDS`, so do not base decisions on them.
   */
  reading(preference: ReadPreferenceName | null): Database
  /**
   * A view with read concern `majority`: a failover never rolls back its results. Just after an election they may
   * be older than acknowledged writes. Without replication it is the database itself.
   */
  readonly majority: Database
  /**
   * Runs reads in a snapshot session, with majority-committed data. Without snapshot reads, each read has read
   * concern majority and its own point in time. `work` is run twice if the snapshot expires.
   * @throws CmsError for database errors (`toCmsError`)
   */
  readMoment<T>(work: (moment: Moment) => Promise<T>): Promise<T>
  bucket(name: string): GridFSBucket
  /**
   * Runs `work` in a transaction (`runTransaction`) and writes its changes (`noteItems`) to the commit log with
   * the last command. `work` may run several times. It must have no effects outside of its session, and must not
   * run two commands of one session concurrently.
   * Transactions of this process that write the same document are serialized (`takeDocuments`). If the caller
   * disconnects while waiting, the transaction is not run. Document writes pass their own `origin`, because they may
   * run in the context of another request (`writeDocument`).
   * On a standalone mongod `work` runs without a transaction and is not atomic.
   * @throws CmsError for database errors (`toCmsError`); other errors of `work` unchanged
   */
  transact<T>(work: (session: Session) => Promise<T>, origin?: WriteOrigin): Promise<T>
  /** Runs reads in one snapshot. Writes are rolled back, except on a standalone mongod. */
  readTogether<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Writes the commit log row now, so that a contended lock can be taken last. No changes can be recorded after
   * it.
   */
  writeCommit(session: Session): Promise<void>
  /** Calls the listener with each stored commit of this process. Returns a function that unsubscribes. */
  onCommit(listener: CommitListener): () => void
  announceCommit: CommitListener
  /** Registers this process until `close`, and ends transactions of killed processes (`ProcessSessions`). */
  announce(): Promise<void>
  endTransactions(sessions: readonly SessionId[]): Promise<void>
  /** @throws ServiceUnavailableError if the database does not respond */
  ping(): Promise<void>
  hello(): Promise<Document>
  /** @throws CmsError for database errors (`toCmsError`) */
  command(command: Document): Promise<Document>
  /** @throws MongoError, for the retry rules of the transaction */
  commandIn(session: Session, command: Document): Promise<Document>
  close(): Promise<void>
}
