import { ValidationError } from '../../base/errors.ts'
import type { ScalarType } from '../definition.ts'
import { findJsonFault, JSON_SENTENCES, shownJson, storedJson } from './json-values.ts'
import { Decimal } from './decimal.ts'
import { parseLocation, shownLocation, toPoint } from './location.ts'
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
  location: {
    textual: false,
    ordered: false,
    searchable: 'no',
    fromQuery: locationOperand,
    toJson: shownLocation,
  },
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
  const label = ['The value', ...fault.path].join('.')
  throw new ValidationError(JSON_SENTENCES[fault.code](label))
}

function locationOperand(text: string): unknown {
  const location = parseLocation(parseJson(text))
  if ('code' in location) throw notA('a latitude and a longitude', text)
  return toPoint(location)
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

export const INT32 = { min: -2147483648, max: 2147483647 } as const
export const INT64 = { min: -9223372036854775808n, max: 9223372036854775807n } as const

export function parseNumber(text: string): number | null {
  if (text.trim() === '') return null
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

export function parseBigInteger(text: string): bigint | null {
  const trimmed = text.trim()
  return /^[+-]?\d{1,100}$/.test(trimmed) ? BigInt(trimmed.replace(/^\+/, '')) : null
}

export function parseDecimal(text: string): Decimal | null {
  const decimal = Decimal.parse(text)
  if (decimal !== null) return decimal
  const value = /^\s*0[xob]/i.test(text) ? parseNumber(text) : null
  return value === null ? null : Decimal.parse(String(value))
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['t', true],
  ['false', false],
  ['0', false],
  ['f', false],
])

export function booleanOf(text: unknown): boolean | undefined {
  return BOOLEANS.get(text)
}
