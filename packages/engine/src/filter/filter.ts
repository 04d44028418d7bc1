import { BSONRegExp } from 'bson'
import { spend } from '../deadline.ts'
import { badValue, CommandError, failedToParse } from '../errors.ts'
import { isNumber, toDouble, toInt64 } from '../bson/numbers.ts'
import type { NumberValue } from '../bson/numbers.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { parseTypes } from '../bson/types.ts'
import type { TypeTest } from '../bson/types.ts'
import { parsePolygon } from './geo-within.ts'
import type { Position } from './geo-within.ts'

export type Comparison = '$eq' | '$gt' | '$gte' | '$lt' | '$lte'

export type Filter =
  | { readonly kind: 'all'; readonly of: readonly Filter[] }
  | { readonly kind: 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'none'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'expression'; readonly expression: Value }
  | Condition

export type Condition =
  | {
      readonly kind: 'compare'
      readonly path: string
      readonly operator: Comparison
      readonly operand: Value
    }
  | { readonly kind: 'in'; readonly path: string; readonly operands: readonly Value[] }
  | { readonly kind: 'regex'; readonly path: string; readonly regex: BSONRegExp }
  | { readonly kind: 'exists'; readonly path: string }
  | { readonly kind: 'type'; readonly path: string; readonly types: TypeTest }
  | { readonly kind: 'size'; readonly path: string; readonly size: number }
  | { readonly kind: 'polygon'; readonly path: string; readonly points: readonly Position[] }
  | {
      readonly kind: 'mod'
      readonly path: string
      readonly divisor: bigint
      readonly remainder: bigint
    }
  | {
      readonly kind: 'element'
      readonly path: string
      readonly of: Filter
      readonly on: 'document' | 'value'
    }

const EVERYTHING: Filter = { kind: 'all', of: [] }
const NEVER_MATCHES: Filter = { kind: 'any', of: [] }

function allOf(of: readonly Filter[]): Filter {
  return of.length === 1 && of[0] ? of[0] : { kind: 'all', of }
}

function not(of: Filter): Filter {
  return { kind: 'not', of }
}

function isOperatorDocument(value: Value): value is Document {
  return (
    isDocument(value) &&
    (Object.keys(value)[0] ?? '').startsWith('$') &&
    !('$ref' in value) &&
    !('$id' in value)
  )
}

const OPERANDS_PER_STEP = 16

function listOf(operator: string, operand: Value): readonly Value[] {
  if (!Array.isArray(operand)) throw badValue(`${operator} needs an array`)
  spend(operand.length / OPERANDS_PER_STEP)
  return operand
}

function parseBranches(operator: string, operand: Value): readonly Filter[] {
  if (!Array.isArray(operand)) throw badValue(`${operator} must be an array`)
  if (operand.length === 0) throw badValue(`${operator} argument must be a non-empty array`)
  return operand.map((entry) => {
    if (!isDocument(entry)) throw badValue(`${operator} argument's entries must be objects`)
    return parseFilter(entry)
  })
}

function compare(operator: Comparison): (path: string, operand: Value) => Filter {
  return (path, operand) => {
    if (operand instanceof BSONRegExp && operator !== '$eq') {
      throw badValue(`Can't have RegEx as arg to predicate over field '${path}'.`)
    }
    return { kind: 'compare', path, operator, operand }
  }
}

function parseIn(path: string, operand: Value): Filter {
  const operands = listOf('$in', operand)
  if (operands.some((entry) => isOperatorDocument(entry))) throw badValue('cannot nest $ under $in')
  return operands.length === 0 ? NEVER_MATCHES : { kind: 'in', path, operands }
}

function parseNot(path: string, operand: Value): Filter {
  if (operand instanceof BSONRegExp) return not({ kind: 'regex', path, regex: operand })
  if (!isDocument(operand)) throw badValue('$not needs a regex or a document')
  const keys = Object.keys(operand)
  if (keys.length === 0) throw badValue('$not cannot be empty')
  return not(parseOperators(path, operand))
}

function parseSize(path: string, operand: Value): Filter {
  const size = isNumber(operand) ? toDouble(operand) : NaN
  if (!Number.isInteger(size))
    throw failedToParse(`Failed to parse $size. Expected an integer: ${path}`)
  if (size < 0) throw failedToParse('Failed to parse $size. Expected a non-negative number')
  return { kind: 'size', path, size }
}

function parseMod(path: string, operand: Value): Filter {
  const [divisor, remainder, ...rest] = Array.isArray(operand) ? operand : []
  if (!isNumber(divisor) || !isNumber(remainder) || rest.length > 0)
    throw badValue('malformed mod, needs to be an array of two numbers')
  return {
    kind: 'mod',
    path,
    divisor: modOperand('divisor', divisor),
    remainder: modOperand('remainder', remainder),
  }
}

function modOperand(name: string, value: NumberValue): bigint {
  const integer = toInt64(value)
  if (integer === null)
    throw badValue(`malformed mod, ${name} value is invalid: it cannot be a 64-bit integer`)
  if (name === 'divisor' && integer === 0n) throw badValue('divisor cannot be 0')
  return integer
}

function isTruthy(value: Value): boolean {
  return isNumber(value)
    ? toDouble(value) !== 0
    : value !== false && value !== null && value !== undefined
}

function hasExpression(filter: Filter): boolean {
  if (filter.kind === 'expression') return true
  if (filter.kind === 'not') return hasExpression(filter.of)
  return 'path' in filter ? false : filter.of.some((child) => hasExpression(child))
}

function parseElement(path: string, operand: Value): Filter {
  if (!isDocument(operand)) throw badValue('$elemMatch needs an Object')
  const first = Object.keys(operand)[0] ?? ''
  const isValue = first.startsWith('$') && !['$and', '$or', '$nor', '$expr'].includes(first)
  const of = isValue ? parseOperators('', operand) : parseFilter(operand)
  if (hasExpression(of))
    throw new CommandError(
      'QueryFeatureNotAllowed',
      '$expr can only be applied to the top-level document',
    )
  return { kind: 'element', path, of, on: isValue ? 'value' : 'document' }
}

function parseAll(path: string, operand: Value): Filter {
  const operands = listOf('$all', operand)
  if (operands.length === 0) return NEVER_MATCHES
  const elements = operands.filter((entry) => isDocument(entry) && '$elemMatch' in entry)
  if (elements.length > 0 && elements.length < operands.length)
    throw badValue('$all/$elemMatch has to be consistent')
  return allOf(
    operands.map((entry): Filter => {
      if (entry instanceof BSONRegExp) return { kind: 'regex', path, regex: entry }
      if (elements.length > 0 && isDocument(entry)) return parseElement(path, entry['$elemMatch'])
      if (isOperatorDocument(entry)) throw badValue('no $ expressions in $all')
      return { kind: 'compare', path, operator: '$eq', operand: entry }
    }),
  )
}

const OPERATORS: Readonly<Record<string, (path: string, operand: Value) => Filter>> = {
  $eq: compare('$eq'),
  $gt: compare('$gt'),
  $gte: compare('$gte'),
  $lt: compare('$lt'),
  $lte: compare('$lte'),
  $ne: (path, operand) => {
    if (operand instanceof BSONRegExp) throw badValue("Can't have regex as arg to $ne.")
    return not({ kind: 'compare', path, operator: '$eq', operand })
  },
  $in: parseIn,
  $nin: (path, operand) => not(parseIn(path, listOf('$nin', operand) as Value[])),
  $not: parseNot,
  $exists: (path, operand) => {
    const exists: Filter = { kind: 'exists', path }
    return isTruthy(operand) ? exists : not(exists)
  },
  $type: (path, operand) => ({ kind: 'type', path, types: parseTypes(operand) }),
  $size: parseSize,
  $mod: parseMod,
  $geoWithin: (path, operand) => ({ kind: 'polygon', path, points: parsePolygon(operand) }),
  $all: parseAll,
  $elemMatch: parseElement,
}

function parseRegex(path: string, operators: Document): Filter {
  const pattern = operators['$regex']
  const options = operators['$options']
  if (options !== undefined && typeof options !== 'string')
    throw badValue('$options has to be a string')
  if (pattern === undefined) throw badValue('$options needs a $regex')
  if (pattern instanceof BSONRegExp) {
    if (options !== undefined && pattern.options !== '')
      throw new CommandError('Location51075', 'options set in both $regex and $options')
    return {
      kind: 'regex',
      path,
      regex: options === undefined ? pattern : new BSONRegExp(pattern.pattern, options),
    }
  }
  if (typeof pattern !== 'string') throw badValue('$regex has to be a string')
  return { kind: 'regex', path, regex: new BSONRegExp(pattern, options ?? '') }
}

function parseOperators(path: string, operators: Document): Filter {
  const filters: Filter[] = []
  for (const operator of Object.keys(operators)) {
    if (operator === '$regex') filters.push(parseRegex(path, operators))
    else if (operator === '$options') {
      if (!('$regex' in operators)) parseRegex(path, operators)
    } else {
      const parse = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined
      if (!parse) throw badValue(`unknown operator: ${operator}`)
      filters.push(parse(path, operators[operator]))
    }
  }
  return allOf(filters)
}

function parseField(path: string, condition: Value): Filter {
  if (condition instanceof BSONRegExp) return { kind: 'regex', path, regex: condition }
  if (isOperatorDocument(condition)) return parseOperators(path, condition)
  return { kind: 'compare', path, operator: '$eq', operand: condition }
}

const LOGICAL: Readonly<Record<string, (operand: Value) => Filter>> = {
  $and: (operand) => allOf(parseBranches('$and', operand)),
  $or: (operand) => ({ kind: 'any', of: parseBranches('$or', operand) }),
  $nor: (operand) => ({ kind: 'none', of: parseBranches('$nor', operand) }),
  $expr: (expression) => ({ kind: 'expression', expression }),
  $comment: () => EVERYTHING,
}

/** @throws CommandError BadValue or FailedToParse if an operator is unknown or misplaced */
export function parseFilter(filter: Document): Filter {
  return allOf(
    Object.keys(filter).map((key) => {
      spend()
      if (!key.startsWith('$')) return parseField(key, filter[key])
      const parse = Object.hasOwn(LOGICAL, key) ? LOGICAL[key] : undefined
      if (!parse) throw badValue(`unknown top level operator: ${key}`)
      return parse(filter[key])
    }),
  )
}

/** Adds the paths that a filter reads. Returns false if it may read any path. */
export function collectPaths(filter: Filter, paths: Set<string>): boolean {
  if (filter.kind === 'expression') return false
  if (filter.kind === 'not') return collectPaths(filter.of, paths)
  if ('path' in filter) {
    paths.add(filter.path)
    return true
  }
  return filter.of.every((child) => collectPaths(child, paths))
}
