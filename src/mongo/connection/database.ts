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
import { createSharedRuns, type ShareRuns } from '../sharing/share-runs.ts'

/** A transaction in progress; made by `Database.transact` and passed through, opaque. */
export type Session = ClientSession

/** Where and how reads of one moment are made. */
export interface Moment {
  readonly database: Database
  /** Undefined where the database has no snapshot reads. */
  readonly session: Session | undefined
}

export interface Database {
  /** False of a standalone mongod: a replica set and mongos have them. */
  readonly hasTransactions: boolean
  /** Bound of every command, in milliseconds. */
  readonly queryTimeoutMs: number
  /** How many connections there may be to it. */
  readonly maxPoolSize: number
  /** How far a list is counted; `total` is never above. */
  readonly countLimit: number
  /** How long a list waits for its count, in milliseconds. */
  readonly countTimeoutMs: number
  /** How many documents a condition on a relation may name before they are looked up instead. */
  readonly relatedLimit: number
  /** How many days deleted content is kept to be restored; 0: it is not. */
  readonly trashDays: number
  /** Sends reads of single keys together. */
  readonly gather: GatherReads
  /** Sends writes of one kind together. */
  readonly gatherWrites: GatherWrites
  /** Counts once for all who ask for the same count at once. */
  readonly shareCounts: ShareRuns<number>
  /** Null without a monitor. */
  readonly monitor: CommandMonitor | null
  readonly readAtOnce: ReadAtOnce
  /** Of the primary, whatever the connection string prefers. */
  collection<T extends Document = Document>(name: string): Collection<T>
  /**
   * The same database, its collections read from the members that are preferred; null prefers what the
   * connection string says, which is the primary unless it says otherwise. For reads that answer a client
   * and decide nothing: what they see may be as old as `MAX_STALENESS_SECONDS`.
   */
  reading(preference: ReadPreferenceName | null): Database
  /**
   * The same database, its collections read with read concern `majority`: a failover never takes back what they return.
   * Just after an election it may be older than what was acknowledged. Without replication it is the database itself.
   */
  readonly majority: Database
  /**
   * Runs reads that a failover never takes back and that see one moment, in a snapshot session. A database without
   * snapshot reads is read by majority, one moment after the other. Works that the snapshot ran out for are run twice.
   * @throws CmsError for what the database refuses (`toCmsError`)
   */
  readMoment<T>(work: (moment: Moment) => Promise<T>): Promise<T>
  /** Files in chunks, in two collections of this prefix. */
  bucket(name: string): GridFSBucket
  /**
   * Runs `work` in a transaction (`runTransaction`): it may run more than once, so it must have no effect
   * but through its session, and must not run two commands of one session at once.
   * A standalone mongod has no transactions: there it runs as it is, and is not atomic.
   * What `work` notes as changed (`noteItems`) is written to the commit log as the last command of the transaction.
   * Transactions of this process that write the same document run one after the other (`takeDocuments`). One whose caller
   * leaves while it waits is not carried out.
   * @throws CmsError for what the database refuses (`toCmsError`); what `work` throws otherwise.
   */
  transact<T>(work: (session: Session) => Promise<T>, caller?: Caller | null): Promise<T>
  /** Reads as of one moment. What `work` writes is undone; on a standalone mongod it is as it runs. */
  readTogether<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Writes the commit of this transaction to the log now: for who locks what others need as the very last. Nothing can
   * be noted after it.
   */
  writeCommit(session: Session): Promise<void>
  /** Calls the listener with each commit of this process, once it is stored. Returns how to stop it. */
  onCommit(listener: CommitListener): () => void
  /** Calls the same listeners for a write outside of transactions. */
  announceCommit: CommitListener
  /**
   * Writes down that this process lives, from now on until `close`, and ends the transactions of those that were killed
   * (`ProcessSessions`). The first transaction does so too. Nothing where there are no transactions.
   */
  announce(): Promise<void>
  /** Ends the transactions that are under way in these sessions, whichever process began them. */
  endTransactions(sessions: readonly SessionId[]): Promise<void>
  /** @throws ServiceUnavailableError when the database does not answer. */
  ping(): Promise<void>
  /** The reply to `hello`, for what depends on the kind of deployment. */
  hello(): Promise<Document>
  /**
   * One command that no method of a collection sends.
   * @throws CmsError for what the database refuses (`toCmsError`)
   */
  command(command: Document): Promise<Document>
  /** One command of a transaction. @throws MongoError, for the retry rules of the transaction. */
  commandIn(session: Session, command: Document): Promise<Document>
  close(): Promise<void>
}

export interface DatabaseOptions extends ClientOptions {
  readonly name: string
  readonly queryTimeoutMs: number
  /** How long a transaction is tried again after failures other than conflicts: default 10,000 ms. */
  readonly transactionTimeoutMs?: number
  /** How long a write waits for others of the same document: default 5,000 ms. */
  readonly conflictTimeoutMs?: number
  /** Reports a process that was killed, when its transactions were ended. */
  readonly onLostProcess?: (lost: ProcessRow) => void
  /** How soon that is noticed: see `ProcessSessions`. */
  readonly processes?: Pick<ProcessSessionsOptions, 'beatMs' | 'lostMs'>
  /** @default 100,000 */
  readonly countLimit?: number
  /** @default the bound of any command */
  readonly countTimeoutMs?: number
  /** @default 10,000 */
  readonly relatedLimit?: number
  /** @default 0 */
  readonly trashDays?: number
}

const MAJORITY_READS = new ReadConcern('majority')

/** Transactions refuse any other. */
const PRIMARY = ReadPreference.primary

/**
 * The log, its head, leases, jobs, rights and sessions are written by majority, whatever the connection string says: a
 * failover must not give a number or a lease twice.
 */
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

/** A replica set says its name, mongos what it is; a standalone mongod says neither. */
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
  /** Takes back what was announced. */
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

/** What is shared is of each view, so that nobody is answered from a member that was not asked for. */
function viewOf(db: Db, { options }: MongoClient, monitor: CommandMonitor | null): View {
  return {
    collection: (name) =>
      name.startsWith(SYSTEM_PREFIX)
        ? db.collection(name, { writeConcern: MAJORITY_WRITES })
        : db.collection(name),
    readAtOnce: openReadAtOnce(db, options),
    gather: gatherReads(monitor),
    shareCounts: createSharedRuns(),
  }
}

/** Connects, and answers with the reply to `hello`. Leaves no connection where that fails. */
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

/** Connects. @throws ServiceUnavailableError that says why no server can be used, ConfigError for a wrong URI. */
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

/** The same database read otherwise; its getters stay getters. */
function withView(database: Database, view: View): Database {
  const properties = {
    ...Object.getOwnPropertyDescriptors(database),
    ...Object.getOwnPropertyDescriptors(view),
  }
  return Object.defineProperties({}, properties) as Database
}
