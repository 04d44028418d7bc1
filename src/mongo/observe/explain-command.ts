import type { Document } from 'mongodb'
import { isRecord } from '../../base/is-record.ts'
import type { ObservedCommand } from '../../base/observed.ts'
import type { Database } from '../connection/database.ts'

export interface QueryPlan {
  readonly indexes: readonly string[]
  readonly scanned: number | null
  readonly returned: number | null
}

const PARTS: Readonly<Record<string, readonly string[]>> = {
  find: ['filter', 'sort', 'projection', 'skip', 'limit', 'hint', 'collation', 'let'],
  aggregate: ['pipeline', 'cursor', 'hint', 'collation', 'let'],
  count: ['query', 'skip', 'limit', 'hint', 'collation'],
}

type Explained = Pick<ObservedCommand, 'name' | 'command'>

/**
 * Stages over one collection. DocumentDB once crashed during the EXPLAIN of a slow query while every request was
 * explained. The cause is unknown, and a crash of the database costs more than a plan is worth.
 */
const SAFE_STAGES: ReadonlySet<string> = new Set([
  '$match',
  '$sort',
  '$skip',
  '$limit',
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$unwind',
  '$group',
  '$count',
  '$replaceRoot',
  '$replaceWith',
])

export interface Explainer {
  /** Whether it would explain a query now. */
  isFree(): boolean
  /** Runs the query again. Null as for `explainCommand`, and while it is not free. */
  explain(command: Explained): Promise<QueryPlan | null>
}

const MAX_PER_MINUTE = 6
const MINUTE_MS = 60_000

/** Explains one query at a time and few per minute, because the queries are slow. `nowMs` is monotonic. */
export function openExplainer(
  database: Database,
  nowMs: () => number = () => performance.now(),
): Explainer {
  let begun: readonly number[] = []
  let isBusy = false
  const isFree = (): boolean => {
    begun = begun.filter((at) => nowMs() - at < MINUTE_MS)
    return !isBusy && begun.length < MAX_PER_MINUTE
  }
  return {
    isFree,
    explain: async (command) => {
      if (!isExplained(command) || !isFree()) return null
      begun = [...begun, nowMs()]
      isBusy = true
      try {
        return await explainCommand(database, command)
      } finally {
        isBusy = false
      }
    },
  }
}

/** Whether the command is a read of one collection. */
export function isExplained({ name, command }: Explained): boolean {
  if (name !== 'aggregate') return Object.hasOwn(PARTS, name)
  const { pipeline } = command
  return (
    Array.isArray(pipeline) &&
    pipeline.every((stage: unknown) => isRecord(stage) && Object.keys(stage).every(isSafe))
  )
}

function isSafe(stage: string): boolean {
  return SAFE_STAGES.has(stage)
}

/** Null for commands that are no reads of one collection, and on any error: explaining is optional. */
export async function explainCommand(
  database: Database,
  { name, command }: Explained,
): Promise<QueryPlan | null> {
  const parts = PARTS[name]
  if (parts === undefined || !isExplained({ name, command })) return null
  const query = Object.fromEntries(
    [name, ...parts]
      .filter((part) => command[part] !== undefined)
      .map((part) => [part, command[part]]),
  )
  const explain = (): Promise<Document> =>
    database.command({ explain: query, verbosity: 'executionStats' })
  try {
    const reply = await (database.monitor?.unobserved(explain) ?? explain())
    return readPlan(reply)
  } catch {
    return null
  }
}

/** Engines nest their reports differently but use the same names. The outermost count wins. */
export function readPlan(reply: Document): QueryPlan | null {
  const winning = [...membersOf(reply, 'winningPlan')]
  if (winning.length === 0) return null
  const indexes = winning.flatMap((plan) => [...membersOf(plan, 'indexName')])
  return {
    indexes: [...new Set(indexes.filter((name) => typeof name === 'string'))],
    scanned: firstNumber(reply, 'totalDocsExamined'),
    returned: firstNumber(reply, 'nReturned'),
  }
}

const NOT_RUN: ReadonlySet<string> = new Set(['rejectedPlans', 'IndexCosts'])

function firstNumber(reply: Document, name: string): number | null {
  const [first] = membersOf(reply, name)
  return typeof first === 'number' || typeof first === 'bigint' ? Number(first) : null
}

function* membersOf(value: unknown, name: string): Generator {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === name) yield inner
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!NOT_RUN.has(key)) yield* membersOf(inner, name)
  }
}
