import { compareValues } from '../bson/compare.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { badValue, CommandError } from '../errors.ts'
import { makeKeyTuples } from './key-tuples.ts'
import { splitPath } from './paths.ts'

export interface SortField {
  readonly path: string
  readonly direction: 1 | -1
}

export type Sort = readonly SortField[]

function parseDirection(path: string, direction: Value): 1 | -1 {
  if (isDocument(direction)) throw badValue(`$meta sort is not supported: ${path}`)
  const value = isNumber(direction) ? toDouble(direction) : 0
  if (value === 1 || value === -1) return value
  throw isNumber(direction)
    ? new CommandError(
        'Location15975',
        '$sort key ordering must be 1 (for ascending) or -1 (for descending)',
      )
    : new CommandError('Location15974', `Illegal key in $sort specification: ${path}`)
}

export function parseSort(sort: Document): Sort {
  if ('$natural' in sort && parseDirection('$natural', sort['$natural']) === -1) {
    throw badValue('a backward $natural sort is not supported')
  }
  return Object.keys(sort)
    .filter((path) => path !== '$natural')
    .map((path) => {
      if (path === '' || path.split('.').includes(''))
        throw new CommandError('Location15998', 'FieldPath field names may not be empty strings.')
      if (path.startsWith('$'))
        throw new CommandError('Location16410', "FieldPath field names may not start with '$'.")
      return { path, direction: parseDirection(path, sort[path]) }
    })
}

export interface Sorter {
  /** @throws CommandError BadValue if two of the fields are different arrays */
  keyOf(document: Document): readonly Value[]
  compare(a: readonly Value[], b: readonly Value[]): number
}

function parallelArrays(): CommandError {
  return badValue('cannot sort with keys that are parallel arrays')
}

const IN_ARRAY = Symbol('in an array')

function plainValue(document: Document, parts: readonly string[]): Value | typeof IN_ARRAY {
  let value: Value = document
  for (const part of parts) {
    if (Array.isArray(value)) return IN_ARRAY
    value = isDocument(value) ? value[part] : undefined
  }
  return Array.isArray(value) ? IN_ARRAY : (value ?? null)
}

/**
 * A missing value sorts as null, and an empty array before null. An array sorts by its smallest
 * element, or by its largest one in descending order.
 */
export function compileSort(sort: Sort): Sorter {
  const paths = sort.map(({ path }) => splitPath(path))
  const directions = sort.map(({ direction }) => direction)
  const compare = (a: readonly Value[], b: readonly Value[]): number => {
    for (const [i, direction] of directions.entries()) {
      const order = compareValues(a[i], b[i])
      if (order !== 0) return order * direction
    }
    return 0
  }
  const firstTuple = (document: Document): readonly Value[] =>
    makeKeyTuples(document, paths, parallelArrays).tuples.reduce((first, tuple) =>
      compare(tuple, first) < 0 ? tuple : first,
    )
  return {
    compare,
    keyOf(document) {
      const key: Value[] = []
      for (const parts of paths) {
        const value = plainValue(document, parts)
        if (value === IN_ARRAY) return firstTuple(document)
        key.push(value)
      }
      return key
    },
  }
}

interface Ranked<T> {
  readonly item: T
  readonly key: readonly Value[]
  readonly place: number
}

/** Sorts stably. With a limit, a heap holds only the first items, so a page costs no full sort. */
export function sortItems<T>(
  items: Iterable<T>,
  documentOf: (item: T) => Document,
  sorter: Sorter,
  limit = Infinity,
): T[] {
  const order = (a: Ranked<T>, b: Ranked<T>): number => {
    spend()
    return sorter.compare(a.key, b.key) || a.place - b.place
  }
  const kept: Ranked<T>[] = []
  let place = 0
  for (const item of items) {
    spend()
    const ranked = { item, key: sorter.keyOf(documentOf(item)), place: place++ }
    if (kept.length < limit) {
      kept.push(ranked)
      if (limit !== Infinity) siftUp(kept, kept.length - 1, order)
    } else if (kept[0] && order(ranked, kept[0]) < 0) {
      kept[0] = ranked
      siftDown(kept, order)
    }
  }
  return kept.sort(order).map(({ item }) => item)
}

type Order<T> = (a: T, b: T) => number

function siftUp<T>(heap: T[], from: number, order: Order<T>): void {
  let at = from
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (order(heap[at] as T, heap[parent] as T) <= 0) return
    swap(heap, at, parent)
    at = parent
  }
}

function siftDown<T>(heap: T[], order: Order<T>): void {
  let at = 0
  for (;;) {
    let largest = at
    for (const child of [at * 2 + 1, at * 2 + 2]) {
      if (child < heap.length && order(heap[child] as T, heap[largest] as T) > 0) largest = child
    }
    if (largest === at) return
    swap(heap, at, largest)
    at = largest
  }
}

function swap(heap: unknown[], a: number, b: number): void {
  const moved = heap[a]
  heap[a] = heap[b]
  heap[b] = moved
}
