import type { NamedQueries } from '../../query/named/compile-queries.ts'
import type { Filter, SortKey } from '../../query/query.ts'
import type { Schema } from '../../schema/plan.ts'
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
    if (query.plan.kind === 'singleType') return []
    const filtered = filteredIn(query.filter)
    const sorted = query.shown.sort.flatMap(storedKey)
    const needs = needsOf({ filtered, sorted }, indexed.get(query.plan.collectionName) ?? [])
    if (needs.length === 0) return []
    const { name } = query.definition
    return [`query ${name}: no index serves it; declare ${remedyFor(query.plan, pathsOf(needs))}`]
  })
}

function pathsOf(needs: ReturnType<typeof needsOf>): readonly string[] {
  return [...new Set(needs.flatMap(({ order }) => order))]
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
      return [prefix + filter.attribute.name]
    case 'within':
      return filteredIn(filter.of, `${prefix}${filter.component.name}.`)
    case 'related':
      return [filter.relation.side === 'owner' ? prefix + filter.relation.name : 'documentId']
  }
}

function storedKey({ through, attribute, direction }: SortKey): readonly string[] {
  if (through.some(({ kind }) => kind === 'relation')) return []
  const path = [...through, attribute].map(({ name }) => name).join('.')
  return [direction === 'desc' ? `${path}:desc` : path]
}
