import { BSONRegExp } from 'bson'
import { compareValues, areEqualValues } from '../bson/compare.ts'
import { toDocument, isDocument, getType } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import { splitPath } from '../filter/paths.ts'
import { parseSort } from '../filter/sort.ts'
import type { OperatorSpec } from './operator-spec.ts'
import { readIntegerOperand, unknownClause } from './field-operators.ts'
import { getTarget, setTarget } from './update-paths.ts'
import type { Target } from './update-paths.ts'

function arrayAt(target: Target, operator: string): Value[] | null {
  const value = getTarget(target)
  if (value === undefined) return null
  if (!Array.isArray(value)) {
    throw badValue(
      `The field '${target.key}' must be an array but is of type ${getType(value)} in document: ${operator} needs an array`,
    )
  }
  return value
}

interface Push {
  readonly each: readonly Value[]
  readonly position: number | null
  readonly slice: number | null
  readonly sort: ((a: Value, b: Value) => number) | null
}

const CLAUSES: ReadonlySet<string> = new Set(['$each', '$position', '$slice', '$sort'])

/** In this order an array counts as one value, unlike in a query. */
function wholeValue(element: Value, parts: readonly string[]): Value {
  let value = element
  for (const part of parts) value = isDocument(value) ? value[part] : undefined
  return value ?? null
}

function parseOrder(sort: Value): (a: Value, b: Value) => number {
  if (!isDocument(sort)) {
    const direction = readIntegerOperand('$sort', sort)
    if (direction !== 1 && direction !== -1)
      throw badValue('The $sort element value must be either 1 or -1')
    return (a, b) => compareValues(a, b) * direction
  }
  if (Object.keys(sort).length === 0)
    throw badValue('The $sort pattern is empty when it should be a set of fields.')
  const fields = parseSort(sort).map(({ path, direction }) => ({
    parts: splitPath(path),
    direction,
  }))
  return (a, b) => {
    for (const { parts, direction } of fields) {
      const order = compareValues(wholeValue(a, parts), wholeValue(b, parts))
      if (order !== 0) return order * direction
    }
    return 0
  }
}

function parsePush(operator: string, operand: Value): Push {
  if (!isDocument(operand) || !('$each' in operand))
    return { each: [operand], position: null, slice: null, sort: null }
  const unknown = Object.keys(operand).find(
    (clause) => !CLAUSES.has(clause) || (operator === '$addToSet' && clause !== '$each'),
  )
  if (unknown !== undefined) throw unknownClause(operator, unknown)
  const { $each: each, $position: position, $slice: slice, $sort: sort } = operand
  if (!Array.isArray(each))
    throw badValue(
      `The argument to $each in ${operator} must be an array but it was of type: ${getType(each)}`,
    )
  return {
    each,
    position: position === undefined ? null : readIntegerOperand('$position', position),
    slice: slice === undefined ? null : readIntegerOperand('$slice', slice),
    sort: sort === undefined ? null : parseOrder(sort),
  }
}

function push(target: Target, { each, position, slice, sort }: Push): void {
  const old = arrayAt(target, '$push') ?? []
  const at =
    position === null ? old.length : position < 0 ? Math.max(old.length + position, 0) : position
  let array = [...old.slice(0, at), ...each, ...old.slice(at)]
  if (sort) array.sort(sort)
  if (slice !== null) array = slice < 0 ? array.slice(slice) : array.slice(0, slice)
  setTarget(target, array)
}

function addToSet(target: Target, each: readonly Value[]): void {
  const array = [...(arrayAt(target, '$addToSet') ?? [])]
  for (const value of each)
    if (!array.some((element) => areEqualValues(element, value))) array.push(value)
  setTarget(target, array)
}

function pullTest(operand: Value): (element: Value) => boolean {
  if (operand instanceof BSONRegExp) return elementTest(toDocument({ element: operand }))
  if (!isDocument(operand)) return (element) => areEqualValues(element, operand)
  if ((Object.keys(operand)[0] ?? '').startsWith('$'))
    return elementTest(toDocument({ element: operand }))
  const matches = compileFilter(parseFilter(operand))
  return (element) => isDocument(element) && matches(element)
}

function elementTest(filter: Document): (element: Value) => boolean {
  const matches = compileFilter(parseFilter(filter))
  return (element) => matches(toDocument({ element }))
}

function keepOnly(target: Target, operator: string, keeps: (element: Value) => boolean): void {
  const array = arrayAt(target, operator)
  if (array)
    setTarget(
      target,
      array.filter((element) => keeps(element)),
    )
}

export const ARRAY_OPERATORS: Readonly<Record<string, OperatorSpec>> = {
  $push: {
    creates: true,
    compile: (_, operand) => {
      const parsed = parsePush('$push', operand)
      return (target) => push(target, parsed)
    },
  },
  $addToSet: {
    creates: true,
    compile: (_, operand) => {
      const { each } = parsePush('$addToSet', operand)
      return (target) => addToSet(target, each)
    },
  },
  $pull: {
    creates: false,
    compile: (_, operand) => {
      const test = pullTest(operand)
      return (target) => keepOnly(target, '$pull', (element) => !test(element))
    },
  },
  $pullAll: {
    creates: false,
    compile: (_, operand) => {
      if (!Array.isArray(operand)) throw badValue('$pullAll requires an array argument')
      return (target) =>
        keepOnly(
          target,
          '$pullAll',
          (element) => !operand.some((value) => areEqualValues(value, element)),
        )
    },
  },
  $pop: {
    creates: false,
    compile: (path, operand) => {
      const end = readIntegerOperand('$pop', operand)
      if (end !== 1 && end !== -1)
        throw new CommandError('FailedToParse', `$pop expects 1 or -1, found: ${end} in ${path}`)
      return (target) => {
        const array = arrayAt(target, '$pop')
        if (array) setTarget(target, end === 1 ? array.slice(0, -1) : array.slice(1))
      }
    },
  },
}
