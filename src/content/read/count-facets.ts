import type { Database } from '../../mongo/connection/database.ts'
import { findGroups } from '../../mongo/read/find-groups.ts'
import type { Query, TextSearch } from '../../query/query.ts'
import { showGroupKey } from './show-group-key.ts'

export interface Facet {
  /** The most frequent values first. */
  readonly counts: readonly FacetCount[]
  /** True if there are more values. */
  readonly capped?: true
  /** True if more entries have the words than a search checks. */
  readonly estimated?: true
}

export interface FacetCount {
  /** The documentId of a target. Null for entries without a value or a visible target. */
  readonly value: unknown
  readonly count: number
}

/** By attribute. */
export type Facets = Readonly<Record<string, Facet>>

const MAX_VALUES = 100

/** Counts the values of the named versions, under all conditions of the query. */
export async function countFacets(
  database: Database,
  query: Query & { readonly search: TextSearch },
  ids: readonly string[],
  isEstimated: boolean,
): Promise<Facets> {
  const facets: Record<string, Facet> = {}
  for (const key of query.search.facets) {
    const aggregate = { groupBy: [key], counts: true, measures: [] }
    const found =
      ids.length === 0
        ? { groups: [], isCapped: false }
        : await findGroups(database, { ...query, aggregate }, { ids, limit: MAX_VALUES })
    facets[key.name] = {
      counts: found.groups.map(({ keys, count }) => ({ value: showGroupKey(key, keys[0]), count })),
      ...(found.isCapped && { capped: true }),
      ...(isEstimated && { estimated: true }),
    }
  }
  return facets
}
