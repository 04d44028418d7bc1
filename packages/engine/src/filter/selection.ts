import { decodeDocument } from '../bson/decode.ts'
import { parseFilter } from './filter.ts'
import { compileFilter } from './match.ts'
import { compileSort, parseSort, sortItems } from './sort.ts'

/** Returns the positions of the documents that match, in order. */
export type Selection = (documents: readonly Uint8Array[]) => readonly number[]

/**
 * A filter and a sort over documents that are in memory, with the meaning that they have in a `find`. Everything is BSON,
 * so that no type is lost and no class of a BSON library has to be the engine's own.
 * @throws CommandError as a `find` would report
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
