import type {
  Binary,
  ChangeStream,
  ChangeStreamOptions,
  ClientSession,
  Collection,
  Document,
  GridFSBucket,
} from 'mongodb'
import type { ReadMonitor } from '../../base/observed.ts'
import type { WriteOrigin } from './authorship.ts'
import type { Table } from './table.ts'
import type { ShareByKey } from '../../base/share-by-key.ts'

export type Session = ClientSession
export type SessionId = Binary

export interface CommitItem {
  /** The uid of the content-type. Roles, API tokens and locales have type names of their own. */
  readonly type: string
  readonly documentId: string
  readonly locale: string
  readonly status: 'draft' | 'published'
  readonly op: 'put' | 'delete'
  /** The revision after a put; null for types without revisions. */
  readonly revision: string | null
  readonly isNew?: true
  /** For items about an entry, such as reviews: the uid of its content-type. */
  readonly entryType?: string
  /** For items about a comment: the stored name of its attribute. Null for the whole entry. */
  readonly attribute?: string | null
  /**
   * The members that rules of `sync` compare, before and after the commit. Null: no such version. Absent if unknown.
   * They are for `_sync` and `_live` only and never shown.
   */
  readonly was?: Document | null
  readonly is?: Document | null
  /** Changes of the type were not seen, so any of its entries may have changed. Such an item has no documentId. */
  readonly lost?: true
}

/** Called with the items and the row ids of a stored commit. */
export type CommitListener = (items: readonly CommitItem[], ids: readonly string[]) => void

export type ReadPreferenceName =
  'primary' | 'primaryPreferred' | 'secondary' | 'secondaryPreferred' | 'nearest'

/** Returns rows as BSON. Null if they exceed a batch (16 MB) or the server was lost: then read with a cursor. */
export type ReadAtOnce = (command: Document) => Promise<readonly Uint8Array[] | null>

/** Calls of one `kind` in one event loop turn share a `read` and its errors. It runs after the last of them. */
export type GatherReads = <T>(
  kind: string,
  key: string,
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
) => Promise<T | undefined>

/**
 * Items of one `kind` that arrive together share a transaction, unless they have the same key.
 * `write` returns null for an item that needs a write of its own. All callers get the errors of `write`.
 */
export type GatherWrites = <T, R>(
  kind: string,
  key: string,
  item: T,
  write: (items: readonly T[]) => Promise<readonly (R | null)[]>,
) => Promise<R | null>

export interface Moment {
  readonly database: Database
  /** Undefined if the database has no snapshot reads. */
  readonly session: Session | undefined
}

export interface Database {
  /** True on replica sets and mongos, false on a standalone mongod. */
  readonly hasTransactions: boolean
  readonly isEmbedded: boolean
  readonly hasBulkWrite: boolean
  readonly queryTimeoutMs: number
  readonly maxPoolSize: number
  /** Upper bound of a count. `total` never exceeds it. */
  readonly countLimit: number
  readonly countTimeoutMs: number
  /** Maximum number of documents in a condition on a relation. Above it, they are looked up. */
  readonly relatedLimit: number
  /** Number of days that deleted content stays in the trash; 0 disables the trash. */
  readonly trashDays: number
  /** Key of the revisions of adopted entries, so that a revision does not reveal hidden values. */
  readonly revisionKey: Uint8Array
  readonly gather: GatherReads
  readonly gatherWrites: GatherWrites
  readonly shareCounts: ShareByKey<string, number>
  readonly monitor: ReadMonitor | null
  readonly readAtOnce: ReadAtOnce
  /** Its commands are bounded and their errors mapped. It reads from the primary, regardless of the connection string. */
  table<T extends Document = Document>(name: string): Table<T>
  /** The driver's collection, for cursors of bytes, indexes and commands with time limits of their own. */
  collection<T extends Document = Document>(name: string): Collection<T>
  /**
   * Null applies the URI. Reads may be stale by `MAX_STALENESS_SECONDS`, so do not base decisions on them. Reads `after` a
   * time that was `reached` see all writes up to it, and share no command with other callers.
   */
  reading(preference: ReadPreferenceName | null, after?: string): Database
  /** The newest known time. `asksPrimary`: not before any earlier write. Null if the database has no cluster time. */
  clusterTime(asksPrimary: boolean): Promise<string | null>
  /** `reached` for all times if the database has no cluster time. */
  judgeTime(time: string): Promise<'reached' | 'future' | 'malformed'>
  /** Read concern `majority`: results are never rolled back, but may lack acknowledged writes after an election. */
  readonly majority: Database
  /**
   * Runs reads in a majority snapshot if the database supports it. Runs `work` again if the snapshot expires.
   * @throws CmsError for database errors
   */
  readMoment<T>(work: (moment: Moment) => Promise<T>): Promise<T>
  bucket(name: string): GridFSBucket
  /** Follows the changes of all collections, with read concern `majority`. Its errors are not mapped. */
  watch(pipeline: readonly Document[], options: ChangeStreamOptions): ChangeStream
  /**
   * Runs `work` in a transaction and logs its changes (`noteItems`). `work` may run several times. It must have no
   * effects outside of its session and run one command at a time. If the caller disconnects while it waits, `work`
   * does not run. Document writes pass their own `origin`. On a standalone mongod `work` is not atomic.
   * @throws CmsError for database errors; other errors of `work` unchanged
   */
  transact<T>(work: (session: Session) => Promise<T>, origin?: WriteOrigin): Promise<T>
  /** Runs reads in one snapshot. Writes are rolled back, except on a standalone mongod. */
  readTogether<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Writes the commit log row now, after the given `insert` and `update` commands, so that a contended lock can be taken
   * last. No changes can be recorded after it. Returns the number of documents that the updates match.
   */
  writeCommit(session: Session, writes?: readonly Document[]): Promise<number>
  /** Calls the listener with each stored commit of this process. Returns a function that unsubscribes. */
  onCommit(listener: CommitListener): () => void
  announceCommit: CommitListener
  /** Registers this process until `close`, with the digest of its declarations (`ProcessSessions`). */
  announce(release?: string, assertCurrent?: () => Promise<void>): Promise<void>
  /** Undefined if no other process can have counted this one as killed. @throws the error of `assertCurrent` */
  confirm(): Promise<void> | undefined
  /** Names the registered processes with other declarations. Killed processes are among them for some seconds. */
  findOtherReleases(release: string): Promise<readonly string[]>
  endTransactions(sessions: readonly SessionId[]): Promise<void>
  /** @throws ServiceUnavailableError if the database does not respond */
  ping(): Promise<void>
  hello(): Promise<Document>
  /** @throws CmsError for database errors (`toCmsError`) */
  command(command: Document): Promise<Document>
  /** @throws MongoError, for the retry rules of the transaction */
  commandIn(session: Session, command: Document): Promise<Document>
  /** From now on, operations wait no longer for a connection than requests may. */
  endStart(): void
  close(): Promise<void>
}
