import { decodeDocument } from '../bson/decode.ts'
import { parseFilter } from './filter.ts'
import { compileFilter } from './match.ts'
import { compileSort, parseSort, sortItems } from './sort.ts'

export type Selection = (documents: readonly Uint8Array[]) => readonly number[]

/**
 * Applies a filter and a sort in memory. Values are BSON bytes, so types survive and callers need
 * not share the engine's BSON classes. @throws CommandError as `find` would
 */
export function compileSelection(filter: Uint8Array, sort: Uint8Array): Selection {
  const matches = compileFilter(parseFilter(decodeDocument(filter)))
  const sorter = compileSort(parseSort(decodeDocument(sort)))
  return (documents) => {
    const found = documents
      .map((bytes, position) => ({ document: decodeDocument(bytes), position }))
      .filter(({ document }) => matches(document))
    return sortItems(found, ({ document }) => document, sorter).map(({ position }) => position)
  }
}
