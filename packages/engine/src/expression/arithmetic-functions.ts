import { Decimal128, Double, Long } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { computeArithmetic, isNumber, toDouble } from '../bson/numbers.ts'
import type { NumberValue } from '../bson/numbers.ts'
import { getType } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError, typeMismatch } from '../errors.ts'
import type { PlainFunction } from './evaluate.ts'

function isAbsent(value: Value): boolean {
  return value === null || value === undefined
}

function numberOf(name: string, value: Value): NumberValue {
  if (isNumber(value)) return value
  throw typeMismatch(`${name} only supports numeric types, not ${getType(value)}`)
}

/** Adds in the wider type. A sum beyond a long becomes a double. */
export function addNumbers(a: NumberValue, b: NumberValue): NumberValue {
  return computeArithmetic(a, b, '+') ?? new Double(toDouble(a) + toDouble(b))
}

function multiply(a: NumberValue, b: NumberValue): NumberValue {
  return computeArithmetic(a, b, '*') ?? new Double(toDouble(a) * toDouble(b))
}

function sum(operands: readonly Value[]): Value {
  if (operands.some((operand) => isAbsent(operand))) return null
  const dates = operands.filter((operand) => operand instanceof Date)
  if (dates.length > 1)
    throw new CommandError('Location16612', 'only one date allowed in an $add expression')
  const total = operands
    .filter((operand) => !(operand instanceof Date))
    .map((operand) => numberOf('$add', operand))
    .reduce(addNumbers, 0)
  return dates[0] ? new Date(dates[0].getTime() + Math.trunc(toDouble(total))) : total
}

function subtract([a, b]: readonly Value[]): Value {
  if (isAbsent(a) || isAbsent(b)) return null
  if (a instanceof Date) {
    return b instanceof Date
      ? Long.fromNumber(a.getTime() - b.getTime())
      : new Date(a.getTime() - Math.trunc(toDouble(numberOf('$subtract', b))))
  }
  const [left, right] = [numberOf('$subtract', a), numberOf('$subtract', b)]
  return computeArithmetic(left, right, '-') ?? new Double(toDouble(left) - toDouble(right))
}

function divide([a, b]: readonly Value[]): Value {
  if (isAbsent(a) || isAbsent(b)) return null
  const [left, right] = [numberOf('$divide', a), numberOf('$divide', b)]
  if (left instanceof Decimal128 || right instanceof Decimal128)
    throw new CommandError('NotImplemented', '$divide of decimals is not supported')
  if (toDouble(right) === 0) throw new CommandError('BadValue', "can't $divide by zero")
  return new Double(toDouble(left) / toDouble(right))
}

function modulo([a, b]: readonly Value[]): Value {
  if (isAbsent(a) || isAbsent(b)) return null
  const [left, right] = [numberOf('$mod', a), numberOf('$mod', b)]
  if (compareValues(right, 0) === 0) throw new CommandError('Location16610', "can't $mod by zero")
  return computeArithmetic(left, right, '%')
}

function rounding(
  name: string,
  round: (value: number) => number,
  roundDecimal: ((value: Decimal128) => Decimal128) | null = null,
): PlainFunction {
  return {
    least: 1,
    most: 1,
    call: ([value]) => {
      if (isAbsent(value)) return null
      const number = numberOf(name, value)
      if (number instanceof Decimal128) {
        if (roundDecimal !== null) return roundDecimal(number)
        throw new CommandError('NotImplemented', `${name} of decimals is not supported`)
      }
      return number instanceof Double ? new Double(round(number.value)) : number
    },
  }
}

/** NaN and the infinities stay. */
function truncateDecimal(value: Decimal128): Decimal128 {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/.exec(value.toString())
  if (match === null) return value
  const [, sign = '', whole = '', part = '', exponent = '0'] = match
  const digits = whole + part
  const point = whole.length + Number(exponent)
  if (point >= digits.length) return value
  return Decimal128.fromString(sign + (point <= 0 ? '0' : digits.slice(0, point)))
}

function absolute([value]: readonly Value[]): Value {
  if (isAbsent(value)) return null
  const number = numberOf('$abs', value)
  return compareValues(number, 0) < 0 ? multiply(number, -1) : number
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

function comparison(accepts: (order: number) => Value): PlainFunction {
  return {
    least: 2,
    most: 2,
    call: ([a, b]) => accepts(Math.sign(compareValues(a, b))),
  }
}

function sumOf(values: readonly Value[]): NumberValue {
  return values.filter((value) => isNumber(value)).reduce(addNumbers, 0)
}

export function computeAverage(values: readonly Value[]): Value {
  const numbers = values.filter((value) => isNumber(value))
  if (numbers.length === 0) return null
  const total = numbers.reduce(addNumbers, 0)
  if (total instanceof Decimal128)
    throw new CommandError('NotImplemented', '$avg of decimals is not supported')
  return new Double(toDouble(total) / numbers.length)
}

/** The lowest (1) or highest (-1) value; null if none is left without null and missing. */
export function findExtreme(values: readonly Value[], direction: 1 | -1): Value {
  let best: Value = null
  for (const value of values) {
    if (!isAbsent(value) && (best === null || compareValues(value, best) * direction < 0))
      best = value
  }
  return best
}

// A single array operand stands for its elements.
function overList(call: (values: readonly Value[]) => Value): PlainFunction {
  return {
    least: 1,
    most: Infinity,
    call: (operands) =>
      call(operands.length === 1 && Array.isArray(operands[0]) ? operands[0] : operands),
  }
}

export const ARITHMETIC_FUNCTIONS: Readonly<Record<string, PlainFunction>> = {
  $add: { least: 1, most: Infinity, call: sum },
  $subtract: { least: 2, most: 2, call: subtract },
  $multiply: {
    least: 1,
    most: Infinity,
    call: (operands) =>
      operands.some((operand) => isAbsent(operand))
        ? null
        : operands.map((operand) => numberOf('$multiply', operand)).reduce(multiply, 1),
  },
  $divide: { least: 2, most: 2, call: divide },
  $mod: { least: 2, most: 2, call: modulo },
  $abs: { least: 1, most: 1, call: absolute },
  $ceil: rounding('$ceil', Math.ceil),
  $floor: rounding('$floor', Math.floor),
  $round: rounding('$round', roundHalfEven),
  $trunc: rounding('$trunc', Math.trunc, truncateDecimal),
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cmp: comparison((order) => order),
  $sum: overList(sumOf),
  $avg: overList(computeAverage),
  $min: overList((values) => findExtreme(values, 1)),
  $max: overList((values) => findExtreme(values, -1)),
}
