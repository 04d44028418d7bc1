import { createHash } from 'node:crypto'
import type { AnyBulkWriteOperation } from 'mongodb'
import type { ObservedCommand, QueryShape } from '../../observed.ts'
import type { CommandMonitor } from '../connection/command-monitor.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { explainCommand, type QueryPlan } from './explain-command.ts'

/** What is known of all queries of one shape, whichever process sent them. */
export interface QueryStat extends QueryShape {
  readonly count: number
  readonly totalMs: number
  readonly slowestMs: number
  readonly lastSeenAt: Date
  /** Of one of them; null while none was explained. */
  readonly plan: QueryPlan | null
}

export interface QueryStats {
  /** Writes what has been seen since the last time; it fails as the database does. */
  flush(): Promise<void>
  /** Writes what is left, as far as the database still takes it. */
  close(): Promise<void>
}

export interface QueryStatsOptions {
  readonly database: Database
  readonly monitor: CommandMonitor
  /** Names of the collections that hold content; of others nothing is kept. */
  readonly collections: ReadonlySet<string>
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
}

const COLLECTION = 'quire_query_stats'
const FLUSH_EVERY_MS = 5_000

/** Bounds of memory and of the collection: who may filter freely can make shapes up. */
const MOST_PENDING = 200
const MOST_STORED = 500

/** Explaining runs a query once more: one per flush, and each shape once in this time. */
const EXPLAIN_AGAIN_MS = 3_600_000

interface StatRow extends QueryStat {
  readonly _id: string
}

interface Pending {
  readonly shape: QueryShape
  count: number
  totalMs: number
  /** With its operands, which stay in memory. */
  slowest: ObservedCommand
}

/**
 * Adds up in memory what queries of content cost, by their shape, and writes it every few seconds: evidence
 * for `quire doctor`. Nothing is kept of what a query asked with. Counts are lost where a process dies, or two
 * write a shape for the first time at once.
 */
export function openQueryStats(options: QueryStatsOptions): QueryStats {
  const { database, monitor, collections, now, onBackgroundError } = options
  const pending = new Map<string, Pending>()
  const explainedAtMs = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()

  monitor.onCommand((command) => {
    if (command.shape === null || !collections.has(command.shape.collection)) return
    add(pending, command.shape, command)
  })
  const isDue = (key: string): boolean =>
    now().getTime() - (explainedAtMs.get(key) ?? -Infinity) >= EXPLAIN_AGAIN_MS
  const explainOne = async (seen: ReadonlyMap<string, Pending>): Promise<Explained | null> => {
    const [next] = [...seen]
      .filter(([key]) => isDue(key))
      .sort(([, one], [, other]) => other.slowest.ms - one.slowest.ms)
    if (next === undefined) return null
    const [key, { slowest }] = next
    if (explainedAtMs.size >= MOST_STORED) explainedAtMs.clear()
    explainedAtMs.set(key, now().getTime())
    return { key, plan: await explainCommand(database, slowest) }
  }
  const flush = (): Promise<void> =>
    monitor.unobserved(async () => {
      if (pending.size === 0) return
      const seen = new Map(pending)
      pending.clear()
      await write(database, seen, { explained: await explainOne(seen), now: now() })
    })
  const inBackground = (): void => {
    writing = writing.then(flush).catch(onBackgroundError)
  }
  const timer = setInterval(inBackground, FLUSH_EVERY_MS)
  timer.unref()
  return {
    flush,
    close: async () => {
      clearInterval(timer)
      inBackground()
      await writing
    },
  }
}

/** What is stored, the slowest first. */
export function readQueryStats(database: Database): Promise<readonly QueryStat[]> {
  return asCmsErrors(() =>
    database
      .collection<StatRow>(COLLECTION)
      .find({}, { maxTimeMS: database.queryTimeoutMs, projection: { _id: 0 } })
      .sort({ slowestMs: -1 })
      .limit(MOST_STORED)
      .toArray(),
  )
}

function add(pending: Map<string, Pending>, shape: QueryShape, command: ObservedCommand): void {
  const key = JSON.stringify(shape)
  const known = pending.get(key)
  if (known !== undefined) {
    known.count += 1
    known.totalMs += command.ms
    if (command.ms > known.slowest.ms) known.slowest = command
  } else if (pending.size < MOST_PENDING) {
    pending.set(key, { shape, count: 1, totalMs: command.ms, slowest: command })
  }
}

interface Explained {
  readonly key: string
  readonly plan: QueryPlan | null
}

async function write(
  database: Database,
  seen: ReadonlyMap<string, Pending>,
  { explained, now }: { readonly explained: Explained | null; readonly now: Date },
): Promise<void> {
  const rows = database.collection<StatRow>(COLLECTION)
  const operations = [...seen].map(([key, stat]): AnyBulkWriteOperation<StatRow> => {
    const plan = explained?.key === key ? explained.plan : null
    const update = {
      $inc: { count: stat.count, totalMs: stat.totalMs },
      $max: { slowestMs: stat.slowest.ms },
      $set: { ...stat.shape, lastSeenAt: now, ...(plan !== null && { plan }) },
      ...(plan === null && { $setOnInsert: { plan: null } }),
    }
    return { updateOne: { filter: { _id: idOf(key) }, update, upsert: true } }
  })
  const { upsertedCount } = await rows.bulkWrite(operations, { ordered: false })
  if (upsertedCount === 0) return
  const surplus = await rows
    .find({}, { projection: { _id: 1 } })
    .sort({ lastSeenAt: -1 })
    .skip(MOST_STORED)
    .toArray()
  if (surplus.length === 0) return
  await rows.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } })
}

function idOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
