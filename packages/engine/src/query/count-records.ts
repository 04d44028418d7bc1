import { listConjuncts } from './bounds.ts'
import { chooseCountPlan, countByPlan } from './count-keys.ts'
import type { CountPlan } from './count-keys.ts'
import { takePage, planQuery, runQuery } from './run-query.ts'
import type { Query, QuerySource } from './run-query.ts'

const NO_FIELDS: ReadonlySet<string> = new Set()

/** Indexes do not know the pending writes of a transaction. A hint determines the index to read. */
function mayCountKeys({ view, collection }: QuerySource, { hint }: Query): boolean {
  return !hint && !view.changes.has(collection)
}

function knownCount({ view, collection }: QuerySource, { filter }: Query): number | null {
  return listConjuncts(filter).length === 0 && view.snapshot === null ? collection.count : null
}

function countPlanOf(source: QuerySource, query: Query): CountPlan | null {
  const { view, collection } = source
  const plan = chooseCountPlan(collection.indexes, query.filter, view.at)
  return plan && plan.score >= (planQuery(source, query)?.score ?? 0) ? plan : null
}

export function countRecords(source: QuerySource, ordered: Query): number {
  const query = { ...ordered, sort: [] }
  const { skip, limit } = query
  if (mayCountKeys(source, query)) {
    const known = knownCount(source, query)
    if (known !== null) return Math.min(Math.max(known - skip, 0), limit)
    const plan = countPlanOf(source, query)
    if (plan) return countByPlan(source, plan, query)
  }
  let count = 0
  for (const record of takePage(
    runQuery(source, { ...query, skip: 0, limit: Infinity, reads: NO_FIELDS }),
    skip,
    limit,
  ))
    count += Number(record.id > 0)
  return count
}
