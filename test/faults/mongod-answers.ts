import type { Document } from 'mongodb'
import type { WireFault } from './fault-proxy.ts'

/** In the order in which mongod 4.9 sorts conditions. */
const OPERATORS = ['$eq', '$lte', '$lt', '$gt', '$gte']

/** A partial filter as `listIndexes` of mongod 4.9 answers it, whatever was declared. */
export function asMongodReports(filter: Document): Document {
  if ('$and' in filter) return filter // the embedded engine reports it so, too
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

/** The answer to `listIndexes` with partial filters in mongod's form; null for any other command. */
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
