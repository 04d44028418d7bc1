import { partsOf } from './bounds.ts'
import { chooseCountPlan, countByPlan } from './count-keys.ts'
import { page, planQuery, runQuery } from './run-query.ts'
import type { Query, Source } from './run-query.ts'

/** How many records a query finds: from the keys of an index where they tell, else by reading. */
export function countRecords(source: Source, ordered: Query): number {
  const { view, collection } = source
  const query = { ...ordered, sort: [] }
  const { skip, limit, filter } = query
  const hasChanges = view.changes.has(collection)
  if (partsOf(filter).length === 0 && view.snapshot === null && !hasChanges)
    return Math.min(Math.max(collection.count - skip, 0), limit)
  const plan = hasChanges ? null : chooseCountPlan(collection.indexes, filter, view.at)
  if (plan && plan.score >= (planQuery(source, query)?.score ?? 0))
    return countByPlan(source, plan, query)
  let count = 0
  for (const record of page(runQuery(source, { ...query, skip: 0, limit: Infinity }), skip, limit))
    count += Number(record.id > 0)
  return count
}
