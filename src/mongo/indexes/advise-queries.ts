import type { NamedQueries } from '../../query/named/compile-queries.ts'
import type { Comparison, Filter, SortKey } from '../../query/query.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { sortKeyOf } from '../connection/query-shape.ts'
import { compileCollections } from './collection-plan.ts'
import { needsOf, remedyFor } from './index-needs.ts'
import type { CollectionIndexes } from './inspect-indexes.ts'

export function declaredIndexes(
  schema: Pick<Schema, 'contentTypes'>,
): readonly CollectionIndexes[] {
  return [...compileCollections(schema).values()].map(({ name, indexes }) => ({
    name,
    keys: indexes.map(({ key }) => Object.entries(key).map(sortKeyOf)),
  }))
}

export function adviseQueries(
  queries: NamedQueries,
  collections: readonly CollectionIndexes[],
): readonly string[] {
  const indexed = new Map(collections.map(({ name, keys }) => [name, keys]))
  return [...queries.values()].flatMap((query) => {
    if (query.plan.kind === 'singleType' || query.plan.adopted !== undefined) return []
    const filtered = filteredIn(query.filter)
    const sorted = query.shown.sort.flatMap(storedKey)
    const needs = needsOf({ filtered, sorted }, indexed.get(query.plan.collectionName) ?? [])
    if (needs.length === 0) return []
    const { name } = query.definition
    return [`query ${name}: no index serves it; declare ${remedyFor(query.plan, pathsOf(needs))}`]
  })
}

/**
 * The indexes that a condition of a list needs and that do not exist, as the options that declare them. Each branch of
 * an alternative needs its own.
 */
export function adviseCondition(
  plan: ContentTypePlan,
  filter: Filter,
  collections: readonly CollectionIndexes[],
): readonly string[] {
  if (plan.kind === 'singleType') return []
  if (filter.kind === 'any') {
    return [...new Set(filter.of.flatMap((one) => adviseCondition(plan, one, collections)))]
  }
  const keys = collections.find(({ name }) => name === plan.collectionName)?.keys ?? []
  const needs = needsOf({ filtered: filteredIn(filter), sorted: [] }, keys)
  return needs.length === 0 ? [] : [remedyFor(plan, pathsOf(needs))]
}

function pathsOf(needs: ReturnType<typeof needsOf>): readonly string[] {
  return [...new Set(needs.flatMap(({ order }) => order))]
}

/** The index of a location begins with its latitude. */
const LATITUDE = '.coordinates.1'

function comparedPath({ attribute, operator }: Comparison): string {
  const isArea = operator === 'near' || operator === 'within'
  return isArea ? attribute.storedName + LATITUDE : attribute.storedName
}

function filteredIn(filter: Filter | null, prefix = ''): readonly string[] {
  if (filter === null) return []
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.flatMap((one) => filteredIn(one, prefix))
    case 'not':
      return filteredIn(filter.of, prefix)
    case 'compare':
      return [prefix + comparedPath(filter)]
    case 'within':
      return filteredIn(filter.of, `${prefix}${filter.component.storedName}.`)
    case 'related':
      return [filter.relation.side === 'owner' ? prefix + filter.relation.storedName : 'documentId']
  }
}

function storedKey({ through, attribute, direction }: SortKey): readonly string[] {
  if (through.some(({ kind }) => kind === 'relation')) return []
  const path = [...through, attribute].map(({ storedName }) => storedName).join('.')
  return [direction === 'desc' ? `${path}:desc` : path]
}
