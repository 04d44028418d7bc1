import { compileSelection } from '@quire/engine/filter'
import { BSON } from 'mongodb'
import type { Filter, SortKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import { toBson } from '../versions/stored-value.ts'
import { translateFilter } from './translate-filter.ts'

export type ElementSelection = (elements: readonly Data[]) => readonly Data[]

/** No query can select embedded elements, so the native engine applies the filter and the sort. */
export function compileElementSelection({
  filter,
  sort,
}: {
  readonly filter: Filter | null
  readonly sort: readonly SortKey[]
}): ElementSelection {
  if (filter === null && sort.length === 0) return (elements) => elements
  const select = compileSelection(
    BSON.serialize(filter === null ? {} : translateFilter(filter)),
    BSON.serialize(Object.fromEntries(sort.map(sortField))),
  )
  return (elements) => {
    const documents = elements.map((element) => BSON.serialize(toBson(element) as Data))
    return select(documents).map((position) => elements[position] as Data)
  }
}

function sortField({ through, attribute, direction }: SortKey): [string, 1 | -1] {
  const path = [...through, attribute].map(({ name }) => name).join('.')
  return [path, direction === 'asc' ? 1 : -1]
}
