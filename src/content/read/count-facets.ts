import type { Database } from '../../mongo/connection/database.ts'
import { findGroups } from '../../mongo/read/find-groups.ts'
import { MAX_NAMED } from '../../mongo/read/read-named.ts'
import type { GroupKey, Query, TextSearch } from '../../query/query.ts'
import { countTargets } from './count-targets.ts'
import { showGroupKey } from './show-group-key.ts'

export interface Facet {
  /** The most frequent values first. */
  readonly counts: readonly FacetCount[]
  /** True if there are more values. */
  readonly capped?: true
  /** True if entries or targets were left out of the counts, because there are too many. */
  readonly estimated?: true
}

export interface FacetCount {
  /** The documentId of a target. Null for entries without a value or a visible target. */
  readonly value: Value
  readonly count: number
}

/** By attribute. */
export type Facets = Readonly<Record<string, Facet>>

const MAX_VALUES = 100

type Value = string | boolean | null

/** Counts the values of the named versions, under all conditions of the query. */
export async function countFacets(
  database: Database,
  query: Query & { readonly search: TextSearch },
  ids: readonly string[],
  isEstimated: boolean,
): Promise<Facets> {
  const facets: Record<string, Facet> = {}
  for (const key of query.search.facets) {
    const { counts, isCut } = await countValues(database, query, key, ids)
    const sorted = [...counts].toSorted(
      ([one, few], [other, more]) => more - few || compareValues(one, other),
    )
    facets[key.name] = {
      counts: sorted.slice(0, MAX_VALUES).map(([value, count]) => ({ value, count })),
      ...(sorted.length > MAX_VALUES && { capped: true }),
      ...((isEstimated || isCut) && { estimated: true }),
    }
  }
  return facets
}

interface CountedValues {
  readonly counts: ReadonlyMap<Value, number>
  readonly isCut: boolean
}

function countValues(
  database: Database,
  query: Query,
  key: GroupKey,
  ids: readonly string[],
): Promise<CountedValues> {
  return key.kind === 'relation'
    ? countTargets(database, query, key.node, ids)
    : countStored(database, query, key, ids)
}

/** In batches of versions, so that each command has a bounded size. */
async function countStored(
  database: Database,
  query: Query,
  key: GroupKey,
  ids: readonly string[],
): Promise<CountedValues> {
  const aggregate = { groupBy: [key], counts: true, measures: [] }
  const counts = new Map<Value, number>()
  let isCut = false
  for (let start = 0; start < ids.length; start += MAX_NAMED) {
    const batch = ids.slice(start, start + MAX_NAMED)
    const { groups, isCapped } = await findGroups(database, { ...query, aggregate }, batch)
    for (const { keys, count } of groups) {
      const value = showGroupKey(key, keys[0]) as Value
      counts.set(value, (counts.get(value) ?? 0) + count)
    }
    isCut ||= isCapped
  }
  return { counts, isCut }
}

/** The order of the database: null, then false, then texts by their bytes. */
function compareValues(one: Value, other: Value): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  if (one === null || other === null) return one === null ? -1 : 1
  return Number(one) - Number(other)
}
