import {
  type ClientSession,
  type Collection,
  type Db,
  type DbOptions,
  type Document,
  GridFSBucket,
  type MongoClient,
  ReadConcern,
  ReadPreference,
} from 'mongodb'
import { currentAuthorship, currentCaller } from './authorship.ts'
import type { CommandMonitor } from './command-monitor.ts'
import { COMMITS } from './commit-record.ts'
import { type ClientOptions, clientFor, connect, explainStart, MAJORITY_WRITES } from './connect.ts'
import { asCmsErrors, toCmsError } from './database-error.ts'
import { type ShareByKey, shareNextByKey } from '../../base/share-by-key.ts'
import { gatherReads, type GatherReads } from '../sharing/gathered-reads.ts'
import { gatherWrites, type GatherWrites } from '../sharing/gathered-writes.ts'
import { patchReadRetries } from './read-retries.ts'
import { patchSocketWrites } from './socket-writes.ts'
import {
  endTransactions,
  openProcessSessions,
  type ProcessRow,
  type ProcessSessionsOptions,
  type SessionId,
} from './process-sessions.ts'
import { type CommitListener, openLoggedTransactions } from './logged-transaction.ts'
import { type ReadPreferenceName, viewsByPreference } from './read-preference.ts'
import { openReadAtOnce, type ReadAtOnce } from './read-at-once.ts'
import { openMoments } from '../sharing/read-moment.ts'
import { runTransaction, type TransactionRun } from './run-transaction.ts'
import { duringTurn } from '../sharing/session-turns.ts'
import { type Caller, openWriteTurns } from '../sharing/write-turns.ts'

export type Session = ClientSession

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
  readonly monitor: CommandMonitor | null
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
   * disconnects while waiting, the transaction is not run.
   * On a standalone mongod `work` runs without a transaction and is not atomic.
   * @throws CmsError for database errors (`toCmsError`); other errors of `work` unchanged
   */
  transact<T>(work: (session: Session) => Promise<T>, caller?: Caller | null): Promise<T>
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

export interface DatabaseOptions extends ClientOptions {
  readonly name: string
  readonly queryTimeoutMs: number
  /** Time limit for retries after failures other than conflicts. @default 10,000 ms */
  readonly transactionTimeoutMs?: number
  /** Time limit for waiting for other writes of the same document. @default 5,000 ms */
  readonly conflictTimeoutMs?: number
  readonly onLostProcess?: (lost: ProcessRow) => void
  readonly processes?: Pick<ProcessSessionsOptions, 'beatMs' | 'lostMs'>
  /** @default 100,000 */
  readonly countLimit?: number
  /** @default `queryTimeoutMs` */
  readonly countTimeoutMs?: number
  /** @default 10,000 */
  readonly relatedLimit?: number
  /** @default 0 */
  readonly trashDays?: number
}

const MAJORITY_READS = new ReadConcern('majority')

const PRIMARY = ReadPreference.primary

/** Collections with majority writes. Otherwise a failover could assign a commit number or a lease twice. */
const SYSTEM_PREFIX = 'quire_'

function transactionRun({
  queryTimeoutMs,
  transactionTimeoutMs = 10_000,
  conflictTimeoutMs = 5_000,
}: DatabaseOptions): Omit<TransactionRun, 'onConflict'> {
  return {
    options: {
      readPreference: PRIMARY,
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority' },
      maxCommitTimeMS: queryTimeoutMs,
    },
    timeoutMs: transactionTimeoutMs,
    conflictTimeoutMs,
  }
}

function hasTransactions(reply: Document): boolean {
  return typeof reply['setName'] === 'string' || reply['msg'] === 'isdbgrid'
}

interface Transactions extends Pick<
  Database,
  | 'transact'
  | 'readTogether'
  | 'announce'
  | 'hasTransactions'
  | 'writeCommit'
  | 'onCommit'
  | 'announceCommit'
  | 'endTransactions'
> {
  readonly withdraw: () => Promise<void>
}

function openTransactions(client: MongoClient, options: DatabaseOptions): Transactions {
  const sessions = openProcessSessions({
    client,
    database: options.name,
    maxTimeMS: options.queryTimeoutMs,
    onLost: options.onLostProcess ?? (() => undefined),
    ...options.processes,
  })
  const run = { ...transactionRun(options), onConflict: () => void sessions.look() }
  const logged = openLoggedTransactions(commitLogOf(client, options))
  const turns = openWriteTurns()
  return {
    ...logged,
    hasTransactions: true,
    transact: (work, caller = currentCaller()) =>
      asCmsErrors(() =>
        client.withSession((session) =>
          sessions.during(session, () =>
            duringTurn(session, turns, (turn) =>
              logged.run(session, currentAuthorship(), work, (attempt) =>
                runTransaction(session, attempt, { ...run, turn, caller }),
              ),
            ),
          ),
        ),
      ),
    readTogether: (work) =>
      asCmsErrors(() =>
        client.withSession((session) =>
          runTransaction(session, () => work(session), { ...run, readsOnly: true }),
        ),
      ),
    announce: () => asCmsErrors(() => sessions.start()),
    endTransactions: (ids) => asCmsErrors(() => endTransactions(client, ids)),
    withdraw: () => sessions.close(),
  }
}

function withoutTransactions(client: MongoClient, options: DatabaseOptions): Transactions {
  const logged = openLoggedTransactions(commitLogOf(client, options))
  return {
    ...logged,
    hasTransactions: false,
    transact: (work) =>
      asCmsErrors(() =>
        client.withSession((session) =>
          logged.run(session, currentAuthorship(), work, (attempt) => attempt()),
        ),
      ),
    readTogether: (work) => asCmsErrors(() => client.withSession(work)),
    announce: () => Promise.resolve(),
    endTransactions: () => Promise.resolve(),
    withdraw: () => Promise.resolve(),
  }
}

function commitLogOf(client: MongoClient, { name, queryTimeoutMs: maxTimeMS }: DatabaseOptions) {
  const db = client.db(name, { readPreference: PRIMARY, writeConcern: MAJORITY_WRITES })
  return { rows: db.collection(COMMITS), maxTimeMS, command: db.command.bind(db) }
}

type View = Pick<Database, 'collection' | 'readAtOnce' | 'gather' | 'shareCounts'>

/** If a count takes longer, the next one starts in parallel. */
const MAX_COUNT_WAIT_MS = 100

/** Each view batches and shares its own reads, because they may come from different members. */
function viewOf(db: Db, { options }: MongoClient, monitor: CommandMonitor | null): View {
  return {
    collection: (name) =>
      name.startsWith(SYSTEM_PREFIX)
        ? db.collection(name, { writeConcern: MAJORITY_WRITES })
        : db.collection(name),
    readAtOnce: openReadAtOnce(db, options),
    gather: gatherReads(monitor),
    shareCounts: shareNextByKey(MAX_COUNT_WAIT_MS),
  }
}

async function greet(
  client: MongoClient,
  { name, queryTimeoutMs: maxTimeMS }: DatabaseOptions,
): Promise<Document> {
  try {
    await connect(client)
    return await client
      .db(name, { readPreference: PRIMARY })
      .admin()
      .command({ hello: 1, maxTimeMS })
  } catch (error) {
    await client.close()
    throw toCmsError(explainStart(error))
  }
}

/** @throws ServiceUnavailableError if no server can be used, ConfigError for an invalid URI */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  patchSocketWrites()
  patchReadRetries()
  const client = clientFor(options)
  const db = client.db(options.name, { readPreference: PRIMARY })
  const { withdraw, ...transactions } = hasTransactions(await greet(client, options))
    ? openTransactions(client, options)
    : withoutTransactions(client, options)
  const monitor = options.monitor ?? null
  const database: Database = {
    ...transactions,
    queryTimeoutMs: options.queryTimeoutMs,
    maxPoolSize: client.options.maxPoolSize,
    countLimit: options.countLimit ?? 100_000,
    countTimeoutMs: options.countTimeoutMs ?? options.queryTimeoutMs,
    relatedLimit: options.relatedLimit ?? 10_000,
    trashDays: options.trashDays ?? 0,
    ...viewOf(db, client, monitor),
    gatherWrites: gatherWrites(monitor),
    monitor,
    reading: (preference) => reading(preference),
    get majority() {
      return majority
    },
    readMoment: (work) => asCmsErrors(() => readMoment(work)),
    ...commandsOf(db, options),
    close: async () => {
      await withdraw()
      await client.close()
    },
  }
  const viewBy = (view: DbOptions): Database =>
    withView(database, viewOf(client.db(options.name, view), client, monitor))
  const reading = viewsByPreference(client.options.readPreference, database, (readPreference) =>
    viewBy({ readPreference }),
  )
  const majority = transactions.hasTransactions
    ? viewBy({ readPreference: PRIMARY, readConcern: MAJORITY_READS })
    : database
  const readMoment = openMoments(client, database)
  return database
}

type Commands = Pick<Database, 'bucket' | 'ping' | 'hello' | 'command' | 'commandIn'>

function commandsOf(db: Db, { queryTimeoutMs: maxTimeMS }: DatabaseOptions): Commands {
  return {
    bucket: (name) => new GridFSBucket(db, { bucketName: name }),
    ping: async () => {
      await asCmsErrors(() => db.command({ ping: 1 }))
    },
    hello: () => asCmsErrors(() => db.admin().command({ hello: 1, maxTimeMS })),
    command: (command) => asCmsErrors(() => db.command({ ...command, maxTimeMS })),
    commandIn: (session, command) => db.command(command, { session }),
  }
}

/** Copies property descriptors, because spreading would evaluate the getters. */
function withView(database: Database, view: View): Database {
  const properties = {
    ...Object.getOwnPropertyDescriptors(database),
    ...Object.getOwnPropertyDescriptors(view),
  }
  return Object.defineProperties({}, properties) as Database
}
