import { BSONRegExp } from 'bson'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { getType } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { spendOn } from '../deadline.ts'
import { CommandError } from '../errors.ts'
import { compileRegex } from '../bson/regex.ts'
import type { PlainFunction } from './evaluate.ts'

function isAbsent(value: Value): boolean {
  return value === null || value === undefined
}

function stringOf(name: string, value: Value): string {
  if (typeof value === 'string') {
    spendOn(value.length)
    return value
  }
  throw new CommandError('Location16702', `${name} only supports strings, not ${getType(value)}`)
}

function coerced(name: string, value: Value): string {
  if (isAbsent(value)) return ''
  if (isNumber(value)) return value.toString()
  if (value instanceof Date) return value.toISOString()
  return stringOf(name, value)
}

function indexOf(name: string, value: Value): number {
  const number = isNumber(value) ? toDouble(value) : NaN
  if (!Number.isInteger(number))
    throw new CommandError('Location34450', `${name} needs integral arguments`)
  return number
}

// MongoDB maps only ASCII letters.
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function upper(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase())
}

function substring([value, from, length]: readonly Value[]): Value {
  const start = indexOf('$substrCP', from)
  const count = indexOf('$substrCP', length)
  if (start < 0 || count < 0)
    throw new CommandError('Location34451', '$substrCP needs non-negative arguments')
  return Array.from(coerced('$substrCP', value))
    .slice(start, start + count)
    .join('')
}

function split([value, separator]: readonly Value[]): Value {
  if (isAbsent(value) || isAbsent(separator)) return null
  const by = stringOf('$split', separator)
  if (by === '') throw new CommandError('Location40087', '$split requires a non-empty separator')
  return stringOf('$split', value).split(by)
}

function replaceAll(members: readonly Value[]): Value {
  const [input, find, replacement] = members
  if (isAbsent(input) || isAbsent(find) || isAbsent(replacement)) return null
  return stringOf('$replaceAll', input).replaceAll(stringOf('$replaceAll', find), () =>
    stringOf('$replaceAll', replacement),
  )
}

function regexMatch([input, regex, options]: readonly Value[]): Value {
  if (isAbsent(input) || isAbsent(regex)) return false
  const flags = typeof options === 'string' ? options : ''
  const text = stringOf('$regexMatch', input)
  return regex instanceof BSONRegExp
    ? compileRegex(regex.pattern, regex.options || flags).test(text)
    : compileRegex(stringOf('$regexMatch', regex), flags).test(text)
}

export const BY_NAME: Readonly<Record<string, (operands: readonly Value[]) => Value>> = {
  regexMatch,
  replaceAll,
}

export const STRING_FUNCTIONS: Readonly<Record<string, PlainFunction>> = {
  $concat: {
    least: 0,
    most: Infinity,
    call: (operands) =>
      operands.some((operand) => isAbsent(operand))
        ? null
        : operands.map((operand) => stringOf('$concat', operand)).join(''),
  },
  $toLower: { least: 1, most: 1, call: ([value]) => lower(coerced('$toLower', value)) },
  $toUpper: { least: 1, most: 1, call: ([value]) => upper(coerced('$toUpper', value)) },
  $strLenCP: {
    least: 1,
    most: 1,
    call: ([value]) => Array.from(stringOf('$strLenCP', value)).length,
  },
  $strLenBytes: {
    least: 1,
    most: 1,
    call: ([value]) => Buffer.byteLength(stringOf('$strLenBytes', value)),
  },
  $substrCP: { least: 3, most: 3, call: substring },
  $split: { least: 2, most: 2, call: split },
  $strcasecmp: {
    least: 2,
    most: 2,
    call: ([a, b]) => {
      const [left, right] = [upper(coerced('$strcasecmp', a)), upper(coerced('$strcasecmp', b))]
      return left === right ? 0 : left < right ? -1 : 1
    },
  },
}
