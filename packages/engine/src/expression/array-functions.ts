import { compareValues, areEqualValues } from '../bson/compare.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { toDocument, isDocument, createDocument, getType } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { CommandError } from '../errors.ts'
import type { ErrorName } from '../errors.ts'
import type { PlainFunction } from './evaluate.ts'

const ELEMENTS_PER_STEP = 8

function isAbsent(value: Value): boolean {
  return value === null || value === undefined
}

function arrayOf(name: string, value: Value): Value[] {
  if (Array.isArray(value)) {
    spend(value.length / ELEMENTS_PER_STEP)
    return value
  }
  throw new CommandError(
    'Location17124',
    `The argument to ${name} must be an array, but was of type: ${getType(value)}`,
  )
}

function integerOf(name: string, value: Value): number {
  const number = isNumber(value) ? toDouble(value) : NaN
  if (!Number.isInteger(number))
    throw new CommandError('Location28690', `${name} needs an integer, but got ${getType(value)}`)
  return number
}

function ofArray(name: string, call: (array: Value[]) => Value): PlainFunction {
  return {
    least: 1,
    most: 1,
    call: ([value]) => (isAbsent(value) ? null : call(arrayOf(name, value))),
  }
}

function elementAt([array, index]: readonly Value[]): Value {
  if (isAbsent(array) || isAbsent(index)) return null
  const elements = arrayOf('$arrayElemAt', array)
  return elements.at(integerOf('$arrayElemAt', index))
}

function slice(operands: readonly Value[]): Value {
  if (operands.some((operand) => isAbsent(operand))) return null
  const [array, first, second] = operands
  const elements = arrayOf('$slice', array)
  const count = integerOf('$slice', second ?? first)
  if (second === undefined) return count >= 0 ? elements.slice(0, count) : elements.slice(count)
  if (count <= 0)
    throw new CommandError('Location28729', 'Third argument to $slice must be positive')
  const position = integerOf('$slice', first)
  const start = position >= 0 ? position : Math.max(elements.length + position, 0)
  return elements.slice(start, start + count)
}

function indexOf([array, wanted, from, to]: readonly Value[]): Value {
  if (isAbsent(array)) return null
  const elements = arrayOf('$indexOfArray', array)
  const start = from === undefined ? 0 : integerOf('$indexOfArray', from)
  if (start < 0)
    throw new CommandError('Location40097', '$indexOfArray requires a nonnegative starting index')
  const end = to === undefined ? elements.length : integerOf('$indexOfArray', to)
  const found = elements
    .slice(0, end)
    .findIndex((element, i) => i >= start && areEqualValues(element, wanted))
  return found
}

function range([from, to, by]: readonly Value[]): Value {
  const [start, end, step] = [
    integerOf('$range', from),
    integerOf('$range', to),
    by === undefined ? 1 : integerOf('$range', by),
  ]
  if (step === 0) throw new CommandError('Location34449', '$range requires a non-zero step value')
  const count = Math.max(Math.ceil((end - start) / step), 0)
  if (count > 1_000_000) throw new CommandError('BadValue', '$range is too long')
  spend(count / ELEMENTS_PER_STEP)
  return Array.from({ length: count }, (_, i) => start + i * step)
}

/** Checks the deadline between arrays, because the result may exceed the size of any document. */
function joined(arrays: readonly (readonly Value[])[]): Value[] {
  const all: Value[] = []
  for (const array of arrays) {
    spend(array.length / ELEMENTS_PER_STEP)
    for (const value of array) all.push(value)
  }
  return all
}

function distinct(values: readonly Value[]): Value[] {
  const sorted = [...values].sort((a, b) => {
    spend(1 / ELEMENTS_PER_STEP)
    return compareValues(a, b)
  })
  return sorted.filter((value, i, all) => i === 0 || !areEqualValues(value, all[i - 1]))
}

function includes(values: readonly Value[], wanted: Value): boolean {
  spend(values.length / ELEMENTS_PER_STEP)
  return values.some((value) => areEqualValues(value, wanted))
}

function ofArrays(name: string, call: (arrays: Value[][]) => Value, count?: number): PlainFunction {
  return {
    least: count ?? 0,
    most: count ?? Infinity,
    call: (operands) =>
      operands.some((operand) => isAbsent(operand))
        ? null
        : call(operands.map((operand) => arrayOf(name, operand))),
  }
}

function ofSets(
  name: string,
  code: ErrorName,
  [least, most]: readonly [number, number],
  call: (arrays: readonly Value[][]) => boolean,
): PlainFunction {
  return {
    least,
    most,
    call: (operands) => {
      const other = operands.find((operand) => !Array.isArray(operand))
      if (operands.every((operand) => Array.isArray(operand))) return call(operands)
      throw new CommandError(
        code,
        `All operands of ${name} must be arrays. One argument is of type: ${getType(other)}`,
      )
    },
  }
}

function arrayToObject(array: readonly Value[]): Value {
  const result = createDocument()
  for (const entry of array) {
    const [key, value] = isDocument(entry)
      ? [entry['k'], entry['v']]
      : Array.isArray(entry)
        ? entry
        : []
    if (typeof key !== 'string')
      throw new CommandError('Location40394', '$arrayToObject requires an array of pairs')
    result[key] = value
  }
  return result
}

function objectToArray([value]: readonly Value[]): Value {
  if (isAbsent(value)) return null
  if (!isDocument(value))
    throw new CommandError('Location40390', '$objectToArray requires a document input')
  return Object.keys(value).map((k) => toDocument({ k, v: value[k] }))
}

function mergeObjects(operands: readonly Value[]): Value {
  const documents = operands.length === 1 && Array.isArray(operands[0]) ? operands[0] : operands
  const result = createDocument()
  for (const document of documents) {
    if (isAbsent(document)) continue
    if (!isDocument(document))
      throw new CommandError('Location40400', '$mergeObjects requires object inputs')
    Object.assign(result, document)
  }
  return result
}

export const ARRAY_FUNCTIONS: Readonly<Record<string, PlainFunction>> = {
  $size: { least: 1, most: 1, call: ([value]) => arrayOf('$size', value).length },
  $isArray: { least: 1, most: 1, call: ([value]) => Array.isArray(value) },
  $arrayElemAt: { least: 2, most: 2, call: elementAt },
  $first: ofArray('$first', (array) => array[0]),
  $last: ofArray('$last', (array) => array.at(-1)),
  $reverseArray: ofArray('$reverseArray', (array) => array.toReversed()),
  $slice: { least: 2, most: 3, call: slice },
  $in: {
    least: 2,
    most: 2,
    call: ([wanted, array]) => {
      if (!Array.isArray(array))
        throw new CommandError(
          'Location40081',
          `$in requires an array as a second argument, found: ${getType(array)}`,
        )
      return includes(array, wanted)
    },
  },
  $indexOfArray: { least: 2, most: 4, call: indexOf },
  $concatArrays: ofArrays('$concatArrays', joined),
  $range: { least: 2, most: 3, call: range },
  $setUnion: ofArrays('$setUnion', (arrays) => distinct(joined(arrays))),
  $setIntersection: ofArrays('$setIntersection', ([first = [], ...rest]) =>
    distinct(first.filter((value) => rest.every((other) => includes(other, value)))),
  ),
  $setDifference: ofArrays(
    '$setDifference',
    ([a = [], b = []]) => distinctInOrder(a.filter((value) => !includes(b, value))),
    2,
  ),
  $setIsSubset: ofSets('$setIsSubset', 'Location17046', [2, 2], ([a = [], b = []]) =>
    a.every((value) => includes(b, value)),
  ),
  $setEquals: ofSets('$setEquals', 'Location17044', [2, Infinity], ([a = [], ...rest]) =>
    rest.every(
      (b) => a.every((value) => includes(b, value)) && b.every((value) => includes(a, value)),
    ),
  ),
  $anyElementTrue: ofSets('$anyElementTrue', 'Location17041', [1, 1], ([a = []]) =>
    a.some(
      (value) => value !== false && !isAbsent(value) && !(isNumber(value) && toDouble(value) === 0),
    ),
  ),
  $arrayToObject: ofArray('$arrayToObject', arrayToObject),
  $objectToArray: { least: 1, most: 1, call: objectToArray },
  $mergeObjects: { least: 1, most: Infinity, call: mergeObjects },
}

function distinctInOrder(values: readonly Value[]): Value[] {
  const kept: Value[] = []
  for (const value of values) if (!includes(kept, value)) kept.push(value)
  return kept
}
