import { randomBytes } from 'node:crypto'
import {
  type Db,
  type DbOptions,
  type Document,
  GridFSBucket,
  type MongoClient,
  ReadConcern,
  ReadPreference,
} from 'mongodb'
import { currentOrigin } from './authorship.ts'
import { type ClusterClock, openClusterClock } from './cluster-clock.ts'
import type { CommandMonitor } from './command-monitor.ts'
import { COMMITS } from './commit-record.ts'
import { type ClientOptions, clientFor, connect, explainStart, MAJORITY_WRITES } from './connect.ts'
import type { Database } from './database.ts'
import { asCmsErrors, isBrokenSocket, isPlanKilled, toCmsError } from './database-error.ts'
import { gatherReads } from '../sharing/gathered-reads.ts'
import { gatherWrites } from '../sharing/gathered-writes.ts'
import { extendQueueTimeout } from './driver-patches/queue-timeout.ts'
import { patchReadRetries } from './driver-patches/read-retries.ts'
import { patchSocketWrites } from './driver-patches/socket-writes.ts'
import {
  endTransactions,
  openProcessSessions,
  type ProcessRow,
  type ProcessSessionsOptions,
} from './process-sessions.ts'
import { type CommitTarget, openLoggedTransactions } from './logged-transaction.ts'
import { readPreferenceFor, viewsByPreference } from './read-preference.ts'
import { openReadAtOnce } from './read-at-once.ts'
import { openMoments } from '../sharing/read-moment.ts'
import { runTransaction, type TransactionRun } from './run-transaction.ts'
import { Table } from './table.ts'
import { duringTurn, openWriteTurns } from '../sharing/write-turns.ts'
import { shareNextByKey } from '../../base/share-by-key.ts'

export interface DatabaseOptions extends ClientOptions {
  readonly name: string
  readonly queryTimeoutMs: number
  /** Time limit for waiting for a connection until `endStart` is called. @default `waitQueueTimeoutMs` */
  readonly startQueueTimeoutMs?: number
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
  /** The same in all processes that compare revisions of adopted entries. @default a random one */
  readonly revisionKey?: Uint8Array
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

/** The name that the engine gives its replica set of one. */
const EMBEDDED = 'embedded'

function hasTransactions(reply: Document): boolean {
  return typeof reply['setName'] === 'string' || reply['msg'] === 'isdbgrid'
}

interface Transactions extends Pick<
  Database,
  | 'transact'
  | 'readTogether'
  | 'announce'
  | 'confirm'
  | 'findOtherReleases'
  | 'hasTransactions'
  | 'writeCommit'
  | 'onCommit'
  | 'announceCommit'
  | 'endTransactions'
> {
  readonly withdraw: () => Promise<void>
}

function openTransactions(
  client: MongoClient,
  options: DatabaseOptions,
  clock: ClusterClock,
  hasBulkWrite: boolean,
): Transactions {
  const sessions = openProcessSessions({
    client,
    database: options.name,
    maxTimeMS: options.queryTimeoutMs,
    onLost: options.onLostProcess ?? (() => undefined),
    ...options.processes,
  })
  const run = { ...transactionRun(options), onConflict: () => void sessions.look() }
  const confirming = { beforeCommit: () => sessions.confirm() }
  const logged = openLoggedTransactions(commitLogOf(client, options, hasBulkWrite))
  const turns = openWriteTurns()
  return {
    ...logged,
    hasTransactions: true,
    transact: (work, { authorship, caller } = currentOrigin()) =>
      asCmsErrors(() =>
        client.withSession((session) =>
          sessions
            .during(session, () =>
              duringTurn(session, turns, (turn) =>
                logged.run(session, authorship, work, (attempt) =>
                  runTransaction(session, attempt, { ...run, ...confirming, turn, caller }),
                ),
              ),
            )
            .finally(() => clock.note(session)),
        ),
      ),
    readTogether: (work) =>
      asCmsErrors(() =>
        client.withSession((session) =>
          runTransaction(session, () => work(session), { ...run, readsOnly: true }),
        ),
      ),
    announce: (...parts) => asCmsErrors(() => sessions.start(...parts)),
    confirm: () => {
      const confirmed = sessions.confirm()
      return confirmed && asCmsErrors(() => confirmed)
    },
    findOtherReleases: (release) => asCmsErrors(() => sessions.findOtherReleases(release)),
    endTransactions: (ids) => asCmsErrors(() => endTransactions(client, ids)),
    withdraw: () => sessions.close(),
  }
}

function withoutTransactions(client: MongoClient, options: DatabaseOptions): Transactions {
  const logged = openLoggedTransactions(commitLogOf(client, options, false))
  return {
    ...logged,
    hasTransactions: false,
    transact: (work, { authorship } = currentOrigin()) =>
      asCmsErrors(() =>
        client.withSession((session) =>
          logged.run(session, authorship, work, (attempt) => attempt()),
        ),
      ),
    readTogether: (work) => asCmsErrors(() => client.withSession(work)),
    announce: () => Promise.resolve(),
    confirm: () => undefined,
    findOtherReleases: () => Promise.resolve([]),
    endTransactions: () => Promise.resolve(),
    withdraw: () => Promise.resolve(),
  }
}

function commitLogOf(
  client: MongoClient,
  { name, queryTimeoutMs: maxTimeMS }: DatabaseOptions,
  hasBulkWrite: boolean,
): CommitTarget {
  const db = client.db(name, { readPreference: PRIMARY, writeConcern: MAJORITY_WRITES })
  // The server accepts `bulkWrite` for `admin` only.
  const command: CommitTarget['command'] = (command, options) =>
    ('bulkWrite' in command ? db.admin() : db).command(command, options)
  return { rows: db.collection(COMMITS), maxTimeMS, hasBulkWrite, command }
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

interface Greeting extends Pick<Database, 'isEmbedded' | 'hasBulkWrite'> {
  readonly isReplicated: boolean
}

async function greet(
  client: MongoClient,
  { name, queryTimeoutMs: maxTimeMS }: DatabaseOptions,
): Promise<Greeting> {
  try {
    await connect(client)
    const admin = client.db(name, { readPreference: PRIMARY }).admin()
    const reply = await admin.command({ hello: 1, maxTimeMS })
    const isEmbedded = reply['setName'] === EMBEDDED
    const hasBulkWrite = isEmbedded && reply['bulkWrite'] === true
    return { isReplicated: hasTransactions(reply), isEmbedded, hasBulkWrite }
  } catch (error) {
    await client.close()
    throw toCmsError(explainStart(error))
  }
}

/** @throws ServiceUnavailableError if no server can be used, ConfigError for an invalid URI */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  patchSocketWrites(isBrokenSocket)
  patchReadRetries(isPlanKilled)
  const client = clientFor(options)
  const endStart = extendQueueTimeout(client, options.startQueueTimeoutMs ?? 0)
  const db = client.db(options.name, { readPreference: PRIMARY })
  const { isReplicated, ...known } = await greet(client, options)
  const clock = openClusterClock(client, db, { ...options, isReplicated })
  const { withdraw, ...transactions } = isReplicated
    ? openTransactions(client, options, clock, known.hasBulkWrite)
    : withoutTransactions(client, options)
  const monitor = options.monitor ?? null
  const database: Database = {
    ...transactions,
    ...known,
    queryTimeoutMs: options.queryTimeoutMs,
    maxPoolSize: client.options.maxPoolSize,
    countLimit: options.countLimit ?? 100_000,
    countTimeoutMs: options.countTimeoutMs ?? options.queryTimeoutMs,
    relatedLimit: options.relatedLimit ?? 10_000,
    trashDays: options.trashDays ?? 0,
    revisionKey: options.revisionKey ?? randomBytes(32),
    ...viewOf(db, client, monitor),
    table(name) {
      return new Table(this.collection(name), this.queryTimeoutMs, () => monitor?.comment())
    },
    gatherWrites: gatherWrites(monitor),
    monitor,
    reading: (...asked) => reading(...asked),
    ...clock.shown,
    get majority() {
      return majority
    },
    readMoment: (work) => asCmsErrors(() => readMoment(work)),
    ...commandsOf(db, options),
    endStart,
    close: async () => {
      await withdraw()
      await client.close()
    },
  }
  const viewBy = (view: DbOptions): Database =>
    withView(database, viewOf(client.db(options.name, view), client, monitor))
  const reading = openReading(client.options.readPreference, clock, database, viewBy)
  const majority = transactions.hasTransactions
    ? viewBy({ readPreference: PRIMARY, readConcern: MAJORITY_READS })
    : database
  const readMoment = openMoments(client, database)
  return database
}

function openReading(
  said: ReadPreference,
  clock: ClusterClock,
  primary: Database,
  viewBy: (view: DbOptions) => Database,
): Database['reading'] {
  const views = viewsByPreference(said, primary, (readPreference) => viewBy({ readPreference }))
  return (name, after) => {
    if (after === undefined) return views(name)
    const readConcern = clock.readConcernAfter(after)
    const readPreference = readPreferenceFor(name, said)
    return readConcern === null ? primary : viewBy({ readPreference, readConcern })
  }
}

type Commands = Pick<Database, 'bucket' | 'watch' | 'ping' | 'hello' | 'command' | 'commandIn'>

function commandsOf(db: Db, { queryTimeoutMs: maxTimeMS }: DatabaseOptions): Commands {
  return {
    bucket: (name) => new GridFSBucket(db, { bucketName: name }),
    watch: (pipeline, options) => db.watch([...pipeline], options),
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
