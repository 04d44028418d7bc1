import type { Document } from 'mongodb'
import type { FaultPlan, WireFault } from './fault-proxy.ts'

/** The order of conditions in mongod 4.9. */
const OPERATORS = ['$eq', '$lte', '$lt', '$gt', '$gte']

/** A partial filter as `listIndexes` of mongod 4.9 reports it, for any declared form. */
export function asMongodReports(filter: Document): Document {
  if ('$and' in filter) return filter // the embedded engine reports this form too
  const conditions = Object.entries(filter).flatMap(([path, operand]) =>
    isOperators(operand)
      ? Object.entries(operand).map(([operator, value]) => ({ [path]: { [operator]: value } }))
      : [{ [path]: { $eq: operand } }],
  )
  const [first = {}, ...others] = conditions.toSorted(compareConditions)
  return others.length === 0 ? first : { $and: [first, ...others] }
}

function isOperators(operand: unknown): operand is Document {
  return (
    typeof operand === 'object' &&
    operand !== null &&
    Object.keys(operand).some((name) => OPERATORS.includes(name))
  )
}

function compareConditions(one: Document, other: Document): number {
  const [a, b] = [sortKey(one), sortKey(other)]
  return a.rank - b.rank || (a.path < b.path ? -1 : Number(a.path > b.path))
}

function sortKey(condition: Document): { readonly rank: number; readonly path: string } {
  const [path = '', operand = {}] = Object.entries(condition)[0] ?? []
  return { rank: OPERATORS.indexOf(Object.keys(operand as object)[0] ?? ''), path }
}

/**
 * The response to `listIndexes` with partial filters in the form of mongod, or null for any other
 * command.
 */
export function reportAsMongod(command: Document): WireFault | null {
  if (!('listIndexes' in command)) return null
  return {
    fate: 'carried out',
    answer: (_command, said) => {
      const indexes = (said['cursor']?.firstBatch ?? []) as readonly Document[]
      return {
        ...said,
        cursor: {
          ...said['cursor'],
          firstBatch: indexes.map(({ partialFilterExpression: filter, ...index }) =>
            filter === undefined
              ? index
              : { ...index, partialFilterExpression: asMongodReports(filter) },
          ),
        },
      }
    },
  }
}

/**
 * Responses of mongos before 7.0 for content that is sharded by `_id`: single writes must give the
 * whole `_id`, and duplicates of inserts and updates name their index in the message only (seen on
 * 4.9).
 */
export function answerAsMongos(isSharded: (collection: string) => boolean): FaultPlan {
  return (command) => {
    const [name = '', collection] = Object.entries(command)[0] ?? []
    if (name === 'hello') return { fate: 'carried out', answer: withoutBulkWrite }
    if (!WRITE_COMMANDS.has(name) || !isSharded(String(collection))) return null
    if (singleFilters(command).some((filter) => !isWhole(filter['_id']))) {
      return {
        fate: 'refused',
        answer: () => ({
          ok: 0,
          code: 61,
          codeName: 'ShardKeyNotFound',
          errmsg: 'Query for sharded findAndModify must contain the shard key',
        }),
      }
    }
    return name === 'findAndModify' ? null : { fate: 'carried out', answer: withoutKeyPattern }
  }
}

export const WRITE_COMMANDS: ReadonlySet<string> = new Set([
  'insert',
  'update',
  'delete',
  'findAndModify',
  'bulkWrite',
])

/** The conditions of those writes in a command that change one document at most. */
export function singleFilters(command: Document): readonly Document[] {
  const listed = (name: string): readonly Document[] => (command[name] ?? []) as readonly Document[]
  if ('findAndModify' in command) return [(command['query'] ?? {}) as Document]
  return [
    ...listed('updates').filter(({ multi }) => multi !== true),
    ...listed('deletes').filter(({ limit }) => Number(limit) !== 0),
    ...listed('ops').filter((op) => 'update' in op && op['multi'] !== true),
  ].map(({ q, filter }) => (q ?? filter) as Document)
}

/** Whether a condition gives the whole value instead of a range. */
export function isWhole(condition: unknown): boolean {
  if (condition === undefined || condition === null) return false
  const [first] = typeof condition === 'object' ? Object.keys(condition) : []
  return first === undefined || !first.startsWith('$') || first === '$eq'
}

function withoutBulkWrite(_command: Document, { bulkWrite: _has, ...said }: Document): Document {
  return said
}

function withoutKeyPattern(_command: Document, said: Document): Document {
  const errors = said['writeErrors'] as readonly Document[] | undefined
  if (errors === undefined) return said
  return {
    ...said,
    writeErrors: errors.map(({ keyPattern: _pattern, keyValue: _value, ...error }) => error),
  }
}
