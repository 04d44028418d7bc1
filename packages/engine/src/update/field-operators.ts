import { Long, Timestamp } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { computeArithmetic, isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument, getType } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import type { CommandError } from '../errors.ts'
import { badValue, failedToParse, typeMismatch } from '../errors.ts'
import type { OperatorSpec, UpdateContext } from './operator-spec.ts'
import { getTarget, resolveTargets, setTarget } from './update-paths.ts'
import type { Target } from './update-paths.ts'

const set: OperatorSpec = {
  creates: true,
  compile: (_, operand) => (target) => setTarget(target, operand),
}

function number(name: string, sign: '+' | '*'): OperatorSpec {
  const verb = sign === '+' ? 'increment' : 'multiply'
  return {
    creates: true,
    compile: (path, operand) => {
      if (!isNumber(operand))
        throw typeMismatch(
          `Cannot ${verb} with non-numeric argument: {${path}: ${getType(operand)}}`,
        )
      return (target) => {
        const old = getTarget(target)
        if (old !== undefined && !isNumber(old)) {
          throw typeMismatch(
            `Cannot apply ${name} to a value of non-numeric type. {${path}} has the field of non-numeric type ${getType(old)}`,
          )
        }
        const start = old ?? (sign === '+' ? null : 0)
        const result = start === null ? operand : computeArithmetic(start, operand, sign)
        if (result === null)
          throw badValue(
            `Failed to apply ${name} operations to current value (overflow) for field ${path}`,
          )
        setTarget(target, result)
      }
    },
  }
}

function extreme(direction: 1 | -1): OperatorSpec {
  return {
    creates: true,
    compile: (_, operand) => (target) => {
      const old = getTarget(target)
      if (old === undefined || compareValues(operand, old) * direction < 0)
        setTarget(target, operand)
    },
  }
}

function removeTarget({ holder, key }: Target): void {
  // An array keeps its length: the removed element becomes null.
  if (!Array.isArray(holder)) delete holder[key]
  else if (Number(key) < holder.length) holder[Number(key)] = null
}

function dateOf(path: string, operand: Value): (context: UpdateContext) => Value {
  const type = isDocument(operand) ? operand['$type'] : operand
  if (operand === true || type === 'date') return ({ now }) => now
  if (type === 'timestamp')
    return ({ now }) => new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 })
  if (operand === false) return ({ now }) => now
  throw badValue(`The '$type' string field of ${path} is required to be 'date' or 'timestamp'`)
}

function assertNoArray(document: Document, parts: readonly string[], message: string): void {
  let value: Value = document
  for (const part of parts) {
    if (Array.isArray(value)) throw badValue(message)
    value = isDocument(value) ? value[part] : undefined
  }
}

function renameTo(path: string, operand: Value): (target: Target, context: UpdateContext) => void {
  if (typeof operand !== 'string')
    throw badValue(`The 'to' field for $rename must be a string: ${path}`)
  if (operand === path)
    throw badValue(`The source and target field for $rename must differ: ${path}`)
  const parts = operand.split('.')
  if ([...parts, ...path.split('.')].some((part) => part.startsWith('$')))
    throw badValue(`The source and target field for $rename may not be dynamic: ${path}`)
  return (target, { document }) => {
    const value = getTarget(target)
    if (value === undefined) return
    assertNoArray(document, path.split('.'), `The source field cannot be an array element: ${path}`)
    assertNoArray(document, parts, `The destination field cannot be an array element: ${operand}`)
    removeTarget(target)
    for (const to of resolveTargets(document, parts, {
      creates: true,
      arrayFilters: new Map(),
      positionOf: () => null,
    }))
      setTarget(to, value)
  }
}

const BITS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
}

interface Bits {
  readonly combine: (a: bigint, b: bigint) => bigint
  readonly mask: number | Long
}

function isInteger(value: Value): value is number | Long {
  return typeof value === 'number' || value instanceof Long
}

function bitsOf(name: string, mask: Value): Bits {
  const combine = Object.hasOwn(BITS, name) ? BITS[name] : undefined
  if (!combine)
    throw badValue(`The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`)
  if (!isInteger(mask))
    throw badValue(
      `The $bit modifier field must be an Integer(32/64 bit); a '${getType(mask)}' is not`,
    )
  return { combine, mask }
}

function bitwise(path: string, operand: Value): (target: Target) => void {
  if (!isDocument(operand))
    throw badValue(`The $bit modifier is not compatible with a ${getType(operand)}`)
  const all = Object.keys(operand).map((name) => bitsOf(name, operand[name]))
  if (all.length === 0) throw badValue('You must pass in at least one bitwise operation')
  return (target) => {
    for (const { combine, mask } of all) {
      const old = getTarget(target) ?? 0
      if (!isInteger(old))
        throw badValue(`Cannot apply $bit to a value of non-integral type: ${path}`)
      const result = combine(BigInt(old.toString()), BigInt(mask.toString()))
      const isLong = old instanceof Long || mask instanceof Long
      setTarget(target, isLong ? Long.fromBigInt(result) : Number(result))
    }
  }
}

export const FIELD_OPERATORS: Readonly<Record<string, OperatorSpec>> = {
  $set: set,
  $setOnInsert: set,
  $unset: { creates: false, compile: () => removeTarget },
  $inc: number('$inc', '+'),
  $mul: number('$mul', '*'),
  $min: extreme(1),
  $max: extreme(-1),
  $currentDate: {
    creates: true,
    compile: (path, operand) => {
      const read = dateOf(path, operand)
      return (target, context) => setTarget(target, read(context))
    },
  },
  $rename: { creates: false, compile: renameTo },
  $bit: { creates: true, compile: bitwise },
}

export function readIntegerOperand(name: string, value: Value): number {
  const integer = isNumber(value) ? toDouble(value) : NaN
  if (!Number.isInteger(integer))
    throw badValue(
      `The value for ${name} must be an integer value but was given type: ${getType(value)}`,
    )
  return integer
}

export function unknownClause(operator: string, clause: string): CommandError {
  return failedToParse(`Unrecognized clause in ${operator}: ${clause}`)
}
