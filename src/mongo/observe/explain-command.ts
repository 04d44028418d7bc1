import type { Document } from 'mongodb'
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

/** Returns null for commands that are not queries, and on any error: explaining is optional. */
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
