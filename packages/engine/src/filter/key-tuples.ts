import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { CommandError } from '../errors.ts'
import { parseArrayIndex } from './paths.ts'

/** The values of several paths in one document, as index keys and sort keys need them. */
export interface KeyTuples {
  /** One value per path. `undefined` is an empty array, which sorts below null. */
  readonly tuples: readonly (readonly Value[])[]
  readonly missing: ReadonlySet<readonly Value[]>
}

interface Reached {
  readonly value: Value
  readonly rest: readonly string[] | null
}

const MISSING_VALUE: Reached = { value: undefined, rest: null }

function assertUnambiguous(array: readonly Value[], part: string): void {
  if (!array.some((element) => isDocument(element) && part in element)) return
  throw new CommandError(
    'Location16746',
    `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${part}'`,
  )
}

/** Follows a path to its end, or to the first array that the path does not index by a number. */
export function followPath(value: Value, parts: readonly string[]): Reached {
  let current = value
  for (const [at, part] of parts.entries()) {
    if (Array.isArray(current)) {
      const index = parseArrayIndex(part)
      if (index === null || index >= current.length)
        return { value: current, rest: parts.slice(at) }
      assertUnambiguous(current, part)
      current = current[index]
    } else if (isDocument(current)) current = current[part]
    else return MISSING_VALUE
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

/** Continues a path inside one element of an array. `undefined` stands for an empty array. */
function enter(element: Value, rest: readonly string[]): Slot {
  // Neither an array within the array nor a scalar has fields.
  if (rest.length > 0)
    return { done: false, from: isDocument(element) ? element : undefined, path: rest }
  return { done: true, value: element, isMissing: false }
}

const STEPS_PER_ELEMENT = 0.25

function expand(slots: readonly Slot[], found: Found): void {
  spend(STEPS_PER_ELEMENT)
  const reached = slots.map((slot) => (slot.done ? null : followPath(slot.from, slot.path)))
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
 * One tuple per element of the array that the paths share, as in MongoDB. @throws CommandError: the
 * error of `onParallel`; 16746 if a number in a path is both an array index and a field name
 */
export function makeKeyTuples(
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
