import { compareValues } from '../bson/compare.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError } from '../errors.ts'
import { arrayIndex, splitPath } from './paths.ts'

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

// Missing sorts as null. Of an array the smallest element counts ascending, the largest descending; an empty
// array sorts below null.
function keyOf(values: readonly Value[], direction: 1 | -1): Value {
  const candidates = values.flatMap((value) => candidatesOf(value))
  if (candidates.length === 0) return null
  return candidates.reduce((best, candidate) =>
    compareValues(candidate, best) * direction < 0 ? candidate : best,
  )
}

function candidatesOf(value: Value): readonly Value[] {
  if (!Array.isArray(value)) return [value ?? null]
  return value.length === 0 ? [undefined] : value
}

/** As index keys have it: what is in an array and no document has nothing beneath it. */
function sortValues(value: Value, parts: readonly string[], at = 0): readonly Value[] {
  const part = parts[at]
  if (part === undefined) return [value]
  if (isDocument(value)) return sortValues(value[part], parts, at + 1)
  if (!Array.isArray(value)) return [undefined]
  const index = arrayIndex(part)
  if (index !== null && index < value.length) return sortValues(value[index], parts, at + 1)
  return value.flatMap((element) =>
    isDocument(element) ? sortValues(element, parts, at) : [undefined],
  )
}

function extractor({ path, direction }: SortField): (document: Document) => Value {
  if (path.includes('.')) {
    const parts = splitPath(path)
    return (document) => keyOf(sortValues(document, parts), direction)
  }
  return (document) => {
    const value = document[path]
    if (value === undefined) return null
    return Array.isArray(value) ? keyOf([value], direction) : value
  }
}

export interface Sorter {
  keyOf(document: Document): readonly Value[]
  compare(a: readonly Value[], b: readonly Value[]): number
}

export function compileSort(sort: Sort): Sorter {
  const extractors = sort.map((field) => extractor(field))
  const directions = sort.map((field) => field.direction)
  return {
    keyOf: (document) => extractors.map((extract) => extract(document)),
    compare(a, b) {
      for (let i = 0; i < directions.length; i++) {
        const order = compareValues(a[i], b[i])
        if (order !== 0) return order * (directions[i] ?? 1)
      }
      return 0
    },
  }
}

interface Ranked<T> {
  readonly item: T
  readonly key: readonly Value[]
  readonly place: number
}

/**
 * The items in order, equal ones as they came; with a limit only the first of them, kept in a heap, so that
 * a page out of many costs no full sort.
 */
export function sortItems<T>(
  items: Iterable<T>,
  documentOf: (item: T) => Document,
  sorter: Sorter,
  limit = Infinity,
): T[] {
  const order = (a: Ranked<T>, b: Ranked<T>): number =>
    sorter.compare(a.key, b.key) || a.place - b.place
  const kept: Ranked<T>[] = []
  let place = 0
  for (const item of items) {
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
