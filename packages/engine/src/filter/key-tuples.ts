import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { CommandError } from '../errors.ts'
import { arrayIndex } from './paths.ts'

/** What several paths hold in one document, as index keys and sort keys have it. */
export interface KeyTuples {
  /** One value for each path; undefined is an empty array, which is below null. */
  readonly tuples: readonly (readonly Value[])[]
  /** Of the tuples those whose paths all lead nowhere. */
  readonly missing: ReadonlySet<readonly Value[]>
}

interface Reached {
  readonly value: Value
  /** What remains of the path when an array was met. */
  readonly rest: readonly string[] | null
}

const NOTHING: Reached = { value: undefined, rest: null }

function assertUnambiguous(array: readonly Value[], part: string): void {
  if (!array.some((element) => isDocument(element) && part in element)) return
  throw new CommandError(
    'Location16746',
    `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${part}'`,
  )
}

/** Follows a path down to its end, or to the first array that no number in the path goes through. */
export function reach(value: Value, parts: readonly string[]): Reached {
  let current = value
  for (const [at, part] of parts.entries()) {
    if (Array.isArray(current)) {
      const index = arrayIndex(part)
      if (index === null || index >= current.length)
        return { value: current, rest: parts.slice(at) }
      assertUnambiguous(current, part)
      current = current[index]
    } else if (isDocument(current)) current = current[part]
    else return NOTHING
  }
  return Array.isArray(current) ? { value: current, rest: [] } : { value: current, rest: null }
}

type Slot =
  | { readonly done: true; readonly value: Value; readonly isMissing: boolean }
  | { readonly done: false; readonly from: Value; readonly path: readonly string[] }

interface Found {
  readonly tuples: Value[][]
  readonly missing: Set<readonly Value[]>
  readonly onParallel: () => CommandError
}

function settled(value: Value): Slot {
  return {
    done: true,
    value: value ?? null,
    isMissing: value === undefined,
  }
}

function keep(slots: readonly Slot[], found: Found): void {
  const tuple = slots.map((slot) => (slot.done ? slot.value : null))
  found.tuples.push(tuple)
  if (slots.every((slot) => slot.done && slot.isMissing)) found.missing.add(tuple)
}

/** What becomes of a path that has met the array, for one of its elements; undefined is that it has none. */
function enter(element: Value, rest: readonly string[]): Slot {
  // An array within the array has no names beneath it, and a scalar has none.
  if (rest.length > 0)
    return { done: false, from: isDocument(element) ? element : undefined, path: rest }
  return { done: true, value: element, isMissing: false }
}

/** Of a step's time that one element takes. */
const UNITS_OF_AN_ELEMENT = 0.25

function expand(slots: readonly Slot[], found: Found): void {
  spend(UNITS_OF_AN_ELEMENT)
  const reached = slots.map((slot) => (slot.done ? null : reach(slot.from, slot.path)))
  const arrays = new Set(reached.flatMap((at) => (at?.rest ? [at.value] : [])))
  if (arrays.size > 1) throw found.onParallel()
  const next = (element: Value): Slot[] =>
    slots.map((slot, i) => {
      const at = reached[i]
      if (slot.done || !at) return slot
      return at.rest ? enter(element, at.rest) : settled(at.value)
    })
  const [array] = arrays
  if (!Array.isArray(array)) keep(next(undefined), found)
  else for (const element of array.length > 0 ? array : [undefined]) expand(next(element), found)
}

/**
 * As MongoDB makes the keys of an index: of an array that several paths go through, one tuple for each element.
 * @throws CommandError what `onParallel` makes, where two paths meet different arrays; 16746 where a number
 * in a path is both a place in an array and a name in an element of it
 */
export function keyTuples(
  document: Document,
  paths: readonly (readonly string[])[],
  onParallel: () => CommandError,
): KeyTuples {
  const found: Found = { tuples: [], missing: new Set(), onParallel }
  expand(
    paths.map((path) => ({ done: false, from: document, path })),
    found,
  )
  return found
}
