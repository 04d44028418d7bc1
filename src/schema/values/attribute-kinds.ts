import { ValidationError } from '../../base/errors.ts'
import type { ScalarType } from '../definition.ts'
import { booleanOf } from './boolean-text.ts'
import { shownJson, storedJson } from './json-keys.ts'
import { findJsonFault, MAX_JSON_DEPTH } from './json-values.ts'
import { sentenceOf } from './value-messages.ts'
import { INT32, INT64, parseBigInteger, parseDecimal, parseNumber } from './numbers.ts'
import {
  DATETIME_FORMAT_MESSAGE,
  isoText,
  parseDate,
  parseDatetime,
  parseTime,
  TIME_FORMAT_MESSAGE,
} from './temporal.ts'

export interface ScalarKind {
  readonly textual: boolean
  readonly ordered: boolean
  readonly searchable: 'text' | 'number' | 'no'
  /** Returns the stored form. @throws ValidationError if the text is not a value of the type */
  readonly fromQuery: (text: string) => unknown
  readonly toJson: (stored: unknown) => unknown
}

const TEXT: ScalarKind = {
  textual: true,
  ordered: true,
  searchable: 'text',
  fromQuery: textOperand,
  toJson: asStored,
}

const DATETIME: ScalarKind = {
  textual: false,
  ordered: true,
  searchable: 'no',
  fromQuery: datetimeOperand,
  toJson: (stored) => (stored instanceof Date ? isoText(stored.getTime()) : (stored ?? null)),
}

const JSON_VALUE: ScalarKind = {
  textual: false,
  ordered: false,
  searchable: 'no',
  fromQuery: jsonOperand,
  toJson: (stored) => shownJson(stored ?? null),
}

const NUMBER = { textual: false, ordered: true, searchable: 'number' } as const

export const SCALAR_KINDS: Readonly<Record<ScalarType, ScalarKind>> = {
  string: TEXT,
  text: TEXT,
  richtext: TEXT,
  email: TEXT,
  uid: TEXT,
  enumeration: TEXT,
  password: { ...TEXT, searchable: 'no' },
  blocks: JSON_VALUE,
  json: JSON_VALUE,
  integer: { ...NUMBER, fromQuery: integerOperand, toJson: numberToJson },
  float: { ...NUMBER, fromQuery: floatOperand, toJson: numberToJson },
  decimal: { ...NUMBER, fromQuery: decimalOperand, toJson: numberToJson },
  biginteger: { ...NUMBER, fromQuery: bigintegerOperand, toJson: textToJson },
  boolean: {
    textual: false,
    ordered: true,
    searchable: 'no',
    fromQuery: booleanOperand,
    toJson: asStored,
  },
  date: {
    ...DATETIME,
    fromQuery: dateOperand,
    toJson: (stored) =>
      stored instanceof Date ? stored.toISOString().slice(0, 10) : asStored(stored),
  },
  datetime: DATETIME,
  timestamp: {
    ...DATETIME,
    toJson: (stored) => (stored instanceof Date ? String(stored.getTime()) : asStored(stored)),
  },
  time: {
    ...DATETIME,
    fromQuery: timeOperand,
    toJson: (stored) =>
      typeof stored === 'string' ? stored.replace(/\.000$/, '') : asStored(stored),
  },
}

function asStored(stored: unknown): unknown {
  return stored ?? null
}

interface Digits {
  toString(): string
}

function textToJson(stored: unknown): unknown {
  return stored === null || stored === undefined ? null : (stored as Digits).toString()
}

function numberToJson(stored: unknown): unknown {
  const isObject = typeof stored === 'object' && stored !== null
  return isObject ? Number((stored as Digits).toString()) : asStored(stored)
}

function textOperand(text: string): string {
  if (text.includes('\0')) throw new ValidationError('A text must not contain a NUL character')
  return text
}

function integerOperand(text: string): number {
  const value = parseNumber(text)
  if (value === null || !Number.isInteger(value)) throw notA('an integer', text)
  if (value < INT32.min || value > INT32.max) throw outOfRange('an integer', text)
  return value
}

function floatOperand(text: string): number {
  const value = parseNumber(text)
  if (value === null) throw notA('a number', text)
  return value
}

function decimalOperand(text: string): unknown {
  const value = parseDecimal(text)
  if (value === null) throw notA('a decimal number of at most 34 digits', text)
  return value
}

function bigintegerOperand(text: string): bigint {
  const value = parseBigInteger(text) ?? wholeNumber(text)
  if (value === null) throw notA('an integer', text)
  if (value < INT64.min || value > INT64.max) throw outOfRange('a biginteger', text)
  return value
}

/** `1e1` is a whole number as well, within the range of exact integers. */
function wholeNumber(text: string): bigint | null {
  const value = parseNumber(text)
  return value !== null && Number.isSafeInteger(value) ? BigInt(value) : null
}

function booleanOperand(text: string): boolean {
  const value = booleanOf(text)
  if (value === undefined) throw notA('a boolean (true, t, 1, false, f or 0)', text)
  return value
}

function dateOperand(text: string): Date {
  const value = parseDate(text)
  if (typeof value === 'string') throw new ValidationError(value)
  return value
}

function datetimeOperand(text: string): Date {
  const value = parseDatetime(text)
  if (value === null) throw new ValidationError(DATETIME_FORMAT_MESSAGE)
  return value
}

function timeOperand(text: string): string {
  const value = parseTime(text)
  if (value === null) throw new ValidationError(TIME_FORMAT_MESSAGE)
  return value
}

function jsonOperand(text: string): unknown {
  const value = parseJson(text)
  const fault = findJsonFault(value)
  if (fault === null) return storedJson(value)
  const complaint = {
    code: fault.code,
    path: ['The value', ...fault.path],
    context: { limit: MAX_JSON_DEPTH },
  }
  throw new ValidationError(sentenceOf(complaint))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function notA(expected: string, text: string): ValidationError {
  return new ValidationError(`Expected ${expected}, got ${quote(text)}`)
}

function outOfRange(type: string, text: string): ValidationError {
  return new ValidationError(`${quote(text)} does not fit ${type}`)
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
