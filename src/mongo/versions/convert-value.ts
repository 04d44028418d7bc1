import { Decimal128 } from 'mongodb'
import { startOfDay } from '../../base/start-of-day.ts'
import type { Data, ScalarType } from '../../schema/definition.ts'
import type { AttributePlan, DynamicZonePlan, ScalarPlan } from '../../schema/plan.ts'
import { INT32, INT64 } from '../../schema/values/attribute-kinds.ts'
import { Decimal, wholeText } from '../../schema/values/decimal.ts'
import { scalarRule } from '../../schema/values/scalar-rules.ts'
import { storedComponentOf } from './row-names.ts'

/** A value that does not fit. */
export const LOST_VALUE = Symbol('lost')

/** A date, which needs a time zone to become a moment. */
export const NO_ZONE = Symbol('no zone')

/** Returns the value itself if it fits. A repeated conversion keeps the value. */
export type Convert = (value: unknown) => unknown

/** @param formerTypes the types of earlier values (`typeOfAttribute`) */
export function converterFor(attribute: AttributePlan, formerTypes: readonly string[]): Convert {
  switch (attribute.kind) {
    case 'scalar':
      return scalarConverter(attribute, formerTypes)
    case 'relation':
      if (attribute.side === 'inverse') return loseAll
      return attribute.toMany ? toList : toOne
    case 'media':
      return attribute.multiple ? toList : toOne
    case 'component':
      return attribute.repeatable ? toList : toOne
    case 'dynamiczone':
      return keepAllowed(attribute)
  }
}

/** For a type that fits no value of the former type. An empty list has none. */
export function loserOf(formerType = ''): Convert {
  const isList = formerType === 'dynamiczone' || /( list| to many)$/.test(formerType)
  return (value) => (isList && Array.isArray(value) && value.length === 0 ? value : LOST_VALUE)
}

const loseAll: Convert = () => LOST_VALUE

/** Converts one element of a dynamic zone. */
function keepAllowed(zone: DynamicZonePlan): Convert {
  return (element) => {
    const isElement = typeof element === 'object' && element !== null
    const component = isElement ? storedComponentOf(zone, element as Data) : undefined
    return component === undefined ? LOST_VALUE : element
  }
}

const toList: Convert = (value) => (Array.isArray(value) ? (value as readonly unknown[]) : [value])

const toOne: Convert = (value) => {
  if (!Array.isArray(value)) return value
  const [first = null, ...others] = value as readonly unknown[]
  return others.length > 0 ? LOST_VALUE : first
}

function scalarConverter(attribute: ScalarPlan, formerTypes: readonly string[]): Convert {
  if (
    attribute.type === 'date' ||
    attribute.type === 'datetime' ||
    attribute.type === 'timestamp'
  ) {
    return momentConverter(attribute, formerTypes)
  }
  return CONVERTERS[attribute.type](attribute)
}

type Timed = Extract<ScalarType, 'date' | 'datetime' | 'timestamp'>

const keepText: Convert = (value) => (typeof value === 'string' ? value : LOST_VALUE)

const CONVERTERS: Readonly<Record<Exclude<ScalarType, Timed>, (plan: ScalarPlan) => Convert>> = {
  string: () => keepText,
  text: () => keepText,
  richtext: () => keepText,
  email: validOnly,
  uid: validOnly,
  enumeration: validOnly, // which renames older values
  time: validOnly,
  blocks: validOnly,
  json: () => (value) => value,
  integer: () => toInteger,
  biginteger: () => toBigInteger,
  float: () => toFloat,
  decimal: () => toDecimal,
  password: () => loseAll,
  boolean: () => loseAll,
  location: () => loseAll,
}

/** Only texts can have the form of another type. Its rule may shorten or complete them. */
function validOnly({ type, limits }: ScalarPlan): Convert {
  const rule = scalarRule({ ...limits, type }, 'direct')
  const isOfForm = (value: unknown): boolean =>
    type === 'blocks' ? Array.isArray(value) : typeof value === 'string'
  return (value) => {
    if (!isOfForm(value)) return LOST_VALUE
    const { error, value: valid } = rule.validate(value, { convert: false }) as {
      readonly error?: unknown
      readonly value: unknown
    }
    if (error !== undefined) return LOST_VALUE
    return type === 'blocks' ? value : valid
  }
}

function momentConverter({ type, convert }: ScalarPlan, formerTypes: readonly string[]): Convert {
  const zone = typeof convert === 'object' ? convert.timeZone : null
  if (type === 'date') {
    return (value) => {
      if (!(value instanceof Date)) return LOST_VALUE
      return isMidnight(value) ? value : LOST_VALUE
    }
  }
  const isZoned = formerTypes.includes('date')
  // A roll-back names no zone. The former moments were midnights in UTC.
  const wasMoment = formerTypes.includes('datetime') || formerTypes.includes('timestamp')
  return (value) => {
    if (!(value instanceof Date)) return LOST_VALUE
    if (!isZoned || !isMidnight(value)) return value
    if (zone === null) return wasMoment ? value : NO_ZONE
    const start = startOfDay(value, zone)
    return start.getTime() === value.getTime() ? value : start
  }
}

function isMidnight(value: Date): boolean {
  return value.getTime() % 86_400_000 === 0
}

function textOfNumber(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  return typeof value === 'bigint' || value instanceof Decimal128 ? value.toString() : null
}

const toDecimal: Convert = (value) => {
  if (value instanceof Decimal128) return value
  const decimal = Decimal.parse(textOfNumber(value) ?? '')
  return decimal === null ? LOST_VALUE : Decimal128.fromString(decimal.text)
}

const toFloat: Convert = (value) => {
  if (typeof value === 'number') return value
  const number = Number(textOfNumber(value) ?? 'NaN')
  return isSameNumber(value, number) ? number : LOST_VALUE
}

const toInteger: Convert = (value) => {
  const number = typeof value === 'number' ? value : toFloat(value)
  const isInteger =
    typeof number === 'number' &&
    Number.isInteger(number) &&
    number >= INT32.min &&
    number <= INT32.max
  return isInteger ? number : LOST_VALUE
}

const toBigInteger: Convert = (value) => {
  if (typeof value === 'bigint') return value
  const text = textOfNumber(value)
  if (text === null || Math.abs(Number(text)) > 2 ** 63) return LOST_VALUE
  const number = BigInt(wholeText(text))
  return isSameNumber(value, number) && number >= INT64.min && number <= INT64.max
    ? number
    : LOST_VALUE
}

function isSameNumber(value: unknown, converted: number | bigint): boolean {
  const before = Decimal.parse(textOfNumber(value) ?? '')
  const after = Decimal.parse(textOfNumber(converted) ?? '')
  return before !== null && after !== null && before.compareTo(after) === 0
}
