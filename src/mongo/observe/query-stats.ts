import { createHash } from 'node:crypto'
import type { AnyBulkWriteOperation } from 'mongodb'
import type { ObservedCommand, QueryShape } from '../../base/observed.ts'
import type { CommandMonitor } from '../connection/command-monitor.ts'
import type { Database } from '../connection/database.ts'
import type { Explainer, QueryPlan } from './explain-command.ts'

export interface QueryStat extends QueryShape {
  readonly count: number
  readonly totalMs: number
  readonly slowestMs: number
  readonly lastSeenAt: Date
  readonly plan: QueryPlan | null
}

export interface QueryStats {
  flush(): Promise<void>
  close(): Promise<void>
}

export interface QueryStatsOptions {
  readonly database: Database
  readonly monitor: CommandMonitor
  readonly explainer: Explainer
  /** Names of content collections. Queries of other collections are ignored. */
  readonly collections: ReadonlySet<string>
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
  /** @default 5,000 ms */
  readonly flushIntervalMs?: number
}

const COLLECTION = 'quire_query_stats'
const FLUSH_INTERVAL_MS = 5_000

/** Clients can create shapes with arbitrary filters. */
const MAX_PENDING = 200
const MAX_STORED = 500

/** Explaining runs a query again: one shape per flush, and each shape once per hour. */
const EXPLAIN_INTERVAL_MS = 3_600_000

interface StatRow extends QueryStat {
  readonly _id: string
}

interface Pending {
  readonly shape: QueryShape
  count: number
  totalMs: number
  /** Includes the operands, which are never stored. */
  slowest: ObservedCommand
}

/** Aggregates the costs of queries by shape, for `quire doctor`. Operands are not stored. */
export function openQueryStats(options: QueryStatsOptions): QueryStats {
  const { database, explainer, monitor, collections, now, onBackgroundError } = options
  const { flushIntervalMs = FLUSH_INTERVAL_MS } = options
  const pending = new Map<string, Pending>()
  const explainedAtMs = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()

  monitor.onCommand((command) => {
    if (command.shape === null || !collections.has(command.shape.collection)) return
    add(pending, command.shape, command)
  })
  const isDue = (key: string): boolean =>
    now().getTime() - (explainedAtMs.get(key) ?? -Infinity) >= EXPLAIN_INTERVAL_MS
  const explainOne = async (seen: ReadonlyMap<string, Pending>): Promise<Explained | null> => {
    const [next] = [...seen]
      .filter(([key]) => isDue(key))
      .sort(([, one], [, other]) => other.slowest.ms - one.slowest.ms)
    if (next === undefined || !explainer.isFree()) return null
    const [key, { slowest }] = next
    if (explainedAtMs.size >= MAX_STORED) explainedAtMs.clear()
    explainedAtMs.set(key, now().getTime())
    return { key, plan: await explainer.explain(slowest) }
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
  const timer = setInterval(inBackground, flushIntervalMs)
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

export function readQueryStats(database: Database): Promise<readonly QueryStat[]> {
  return queryStatsOf(database)
    .find({}, { projection: { _id: 0 } })
    .sort({ slowestMs: -1 })
    .limit(MAX_STORED)
    .toArray()
}

export const queryStatsOf = (database: Database) => database.table<StatRow>(COLLECTION)

function add(pending: Map<string, Pending>, shape: QueryShape, command: ObservedCommand): void {
  const key = JSON.stringify(shape)
  const known = pending.get(key)
  if (known !== undefined) {
    known.count += 1
    known.totalMs += command.ms
    if (command.ms > known.slowest.ms) known.slowest = command
  } else if (pending.size < MAX_PENDING) {
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
  const rows = queryStatsOf(database)
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
    .skip(MAX_STORED)
    .toArray()
  if (surplus.length === 0) return
  await rows.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } })
}

function idOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
