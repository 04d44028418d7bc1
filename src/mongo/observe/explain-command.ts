import type { Document } from 'mongodb'
import type { ObservedCommand } from '../../observed.ts'
import type { Database } from '../connection/database.ts'

/** How the database ran a query, without a value of it. */
export interface QueryPlan {
  /** Names of indexes, or none: the whole collection was read. */
  readonly indexes: readonly string[]
  /** Null where the engine does not count. */
  readonly scanned: number | null
  readonly returned: number | null
}

/** What of a command belongs to its query; the rest is about its session, time and answer. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  find: ['filter', 'sort', 'projection', 'skip', 'limit', 'hint', 'collation', 'let'],
  aggregate: ['pipeline', 'cursor', 'hint', 'collation', 'let'],
  count: ['query', 'skip', 'limit', 'hint', 'collation'],
}

/**
 * Runs a query once more and asks how. Null for what reads nothing, and where the engine cannot say: it is
 * additional, and must break nothing.
 */
export async function explainCommand(
  database: Database,
  { name, command }: Pick<ObservedCommand, 'name' | 'command'>,
): Promise<QueryPlan | null> {
  const parts = PARTS[name]
  if (parts === undefined) return null
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

/**
 * Engines nest their reports in different ways (stages of a pipeline, shards, one within the other), under
 * the same names: a name is looked for at any depth, the outermost count first.
 */
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

/** Keys that hold rejected plans; the second is DocumentDB's. */
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
