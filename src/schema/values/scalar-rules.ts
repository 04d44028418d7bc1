import Joi from 'joi'
import type { CustomHelpers, CustomValidator, Schema as JoiSchema } from 'joi'
import { findBlockFaults } from './blocks.ts'
import { testInTime } from './bounded-regex.ts'
import { Decimal, significantDigits } from './decimal.ts'
import type { ScalarDefinition, ScalarType } from '../definition.ts'
import { findJsonFault, findTextFault, MAX_JSON_DEPTH, storedJson } from './json-values.ts'
import { parseLocation, toPoint } from './location.ts'
import { mapEntryLinks } from './entry-links.ts'
import { INT32, INT64, parseBigInteger, parseDecimal, parseNumber } from './attribute-kinds.ts'
import { DATE_MESSAGE, momentOf, parseDate, parseDatetime, parseTime } from './temporal.ts'
export type Occasion = 'draft' | 'direct' | 'publishable'

type Rule = (definition: ScalarDefinition, occasion: Occasion) => JoiSchema

const SHORT_TEXT_CHARACTERS = 255
const MAX_DECIMAL_DIGITS = 34
const UID = /^[A-Za-z0-9-_.~]*$/

const RULES = {
  string: (definition, occasion) => text(definition, occasion, SHORT_TEXT_CHARACTERS),
  text: (definition, occasion) => text(definition, occasion, null),
  richtext: (definition, occasion) => text(definition, occasion, null),
  uid: (definition, occasion) => {
    const rule = text(definition, occasion, SHORT_TEXT_CHARACTERS)
    return occasion === 'draft' ? rule : rule.custom(matches(UID))
  },
  email,
  password,
  enumeration: ({ enum: values = [], formerValues }) =>
    Joi.any().custom(oneOf(values, new Map(formerValues))),
  integer: (definition, occasion) => bounded(definition, occasion, readInteger),
  float: (definition, occasion) => bounded(definition, occasion, readFloat),
  decimal: (definition, occasion) => bounded(definition, occasion, readDecimal),
  biginteger: (definition, occasion) => bounded(definition, occasion, readBigInteger),
  boolean: () => Joi.any().custom(readBoolean),
  date: unlessStored(readDate),
  datetime: unlessStored(readDatetime),
  timestamp: unlessStored(readDatetime),
  time: unlessStored(readTime),
  json: unlessStored(readJson),
  blocks: (definition, occasion) => unlessStored(blocksReader(definition))(definition, occasion),
  location: unlessStored(readLocation),
} satisfies Readonly<Record<ScalarType, Rule>>

export function scalarRule(definition: ScalarDefinition, occasion: Occasion): JoiSchema {
  const rule = RULES[definition.type](definition, occasion)
  return definition.required === true && occasion !== 'draft' ? rule : rule.allow(null)
}

export function storedDefault(definition: ScalarDefinition): unknown {
  if (definition.default === undefined || definition.default === null) return definition.default
  const { value } = scalarRule(definition, 'direct').validate(definition.default, {
    convert: false,
  }) as { readonly value: unknown }
  return value
}

export const ID_RULE = Joi.any().custom(readInteger).allow(null)

function text(
  { minLength, maxLength, regex }: ScalarDefinition,
  occasion: Occasion,
  usualMaximum: number | null,
): Joi.StringSchema {
  const isDraft = occasion === 'draft'
  let rule = Joi.string().min(0).custom(storable)
  if (minLength !== undefined && !isDraft) rule = rule.custom(atLeastCharacters(minLength))
  const maximum = maxLength ?? usualMaximum
  if (maximum !== null) rule = rule.max(maximum)
  if (regex !== undefined && !isDraft) rule = rule.custom(matches(new RegExp(regex)))
  return rule
}

const EMAIL = Joi.string().email({ tlds: { allow: false } })

/** The minimum length is only reported for a valid address. */
function email({ minLength = 0, ...definition }: ScalarDefinition, occasion: Occasion): JoiSchema {
  const rule = text(definition, occasion, SHORT_TEXT_CHARACTERS)
  if (occasion === 'draft') return rule
  return rule.custom((value: string, { error }) => {
    if (value === '') return error('string.empty')
    if (EMAIL.validate(value).error !== undefined) return error('string.email')
    return value.length < minLength ? error('string.min', { limit: minLength }) : value
  })
}

/** The stored value is a hash, so all rules apply before that, even in a draft. */
function password(definition: ScalarDefinition, occasion: Occasion): JoiSchema {
  return occasion === 'publishable' ? Joi.string() : text(definition, 'direct', null)
}

const RANGES: Readonly<Partial<Record<ScalarType, { readonly min: Limit; readonly max: Limit }>>> =
  {
    integer: INT32,
    biginteger: INT64,
  }

type Limit = number | bigint | Decimal

function bounded(
  { type, min, max }: ScalarDefinition,
  occasion: Occasion,
  read: CustomValidator,
): JoiSchema {
  const range = RANGES[type]
  const limit = (value: number | string): Limit => {
    if (type === 'decimal') return Decimal.parse(String(value)) ?? Number(value)
    return type === 'biginteger' ? BigInt(value) : Number(value)
  }
  const lower = min === undefined || occasion === 'draft' ? range?.min : limit(min)
  const upper = max === undefined ? range?.max : limit(max)
  let rule = Joi.any().custom(read)
  if (lower !== undefined) rule = rule.custom(atLeast(lower))
  if (upper !== undefined) rule = rule.custom(atMost(upper))
  return rule
}

function unlessStored(read: CustomValidator): Rule {
  return (_, occasion) => Joi.any().custom(occasion === 'publishable' ? present : read)
}

function present(value: unknown, { error }: CustomHelpers): unknown {
  return value === null ? error('any.null') : value
}

function storable(value: string, { error }: CustomHelpers): unknown {
  const fault = findTextFault(value)
  return fault === null ? value : error(`string.${fault}`)
}

function atLeastCharacters(limit: number): CustomValidator<string> {
  return (value, { error }) => (value.length < limit ? error('string.min', { limit }) : value)
}

/** An empty text always passes, as in the reference. */
function matches(regex: RegExp): CustomValidator<string> {
  return (value, { error }) => {
    if (value === '') return value
    const isMatch = testInTime(regex, value)
    if (isMatch === null) return error('string.matchTime', { regex })
    return isMatch ? value : error('string.match', { regex })
  }
}

/** Installed apps, devices and archives may have older values. */
function oneOf(values: readonly string[], former: ReadonlyMap<string, string>): CustomValidator {
  const allowed = new Set(values)
  return (value: unknown, { error }) => {
    if (value === null) return error('string.base')
    const given = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    const name = typeof given === 'string' ? (former.get(given) ?? given) : null
    if (name !== null && allowed.has(name)) return name
    return error('enumeration.only', { valids: values })
  }
}

function atLeast(limit: Limit): CustomValidator {
  return (value: unknown, { error }) =>
    isBelow(value, limit) ? error('number.min', { limit }) : value
}

function atMost(limit: Limit): CustomValidator {
  return (value: unknown, { error }) =>
    isBelow(limit, value) ? error('number.max', { limit }) : value
}

function isBelow(one: unknown, other: unknown): boolean {
  if (one instanceof Decimal && other instanceof Decimal) return one.compareTo(other) < 0
  return isNumber(one) && isNumber(other) && one < other
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Accepts JSON numbers and numeric text, but not lists and booleans, which JavaScript would convert. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'string') return parseNumber(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function readInteger(value: unknown, { error }: CustomHelpers): unknown {
  const number = numberOf(value)
  if (number === null) return error('number.base')
  return Number.isInteger(number) ? number : error('number.integer')
}

function readFloat(value: unknown, { error }: CustomHelpers): unknown {
  return numberOf(value) ?? error('number.base')
}

function readDecimal(value: unknown, { error }: CustomHelpers): unknown {
  const digits = typeof value === 'number' ? String(value) : digitsOf(value)
  if (digits === null) return error('number.base')
  const decimal = parseDecimal(digits)
  if (decimal !== null) return isShowable(decimal) ? decimal : error('decimal.range')
  if (parseNumber(digits) === null) return error('number.base')
  return error('decimal.digits', { limit: MAX_DECIMAL_DIGITS })
}

/** Responses have decimals as JSON numbers. */
function isShowable({ text }: Decimal): boolean {
  const shown = Number(text)
  return Number.isFinite(shown) && (shown !== 0 || significantDigits(text) === '0')
}

function readBigInteger(value: unknown, { error }: CustomHelpers): unknown {
  return bigIntegerOf(value) ?? error('biginteger.base')
}

function bigIntegerOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : null
  const digits = digitsOf(value)
  return digits === null ? null : parseBigInteger(digits)
}

function digitsOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  const isStored = typeof value === 'object' && value !== null && !isPlain(value)
  return isStored ? (value as { toString(): string }).toString() : null
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  ['true', true],
  ['1', true],
  [false, false],
  [0, false],
  ['false', false],
  ['0', false],
])

function readBoolean(value: unknown, { error }: CustomHelpers): unknown {
  return BOOLEANS.get(value) ?? error('boolean.base')
}

function readDate(value: unknown, { error }: CustomHelpers): unknown {
  if (value === null) return error('any.null')
  const date = typeof value === 'string' ? parseDate(value) : null
  if (date instanceof Date) return date
  return error(date === DATE_MESSAGE ? 'date.invalid' : 'date.format')
}

function readDatetime(value: unknown, { error }: CustomHelpers): unknown {
  if (value === null) return error('any.null')
  const moment = typeof value === 'number' ? momentOf(value) : parseMoment(value)
  return moment ?? error('datetime.format')
}

function parseMoment(value: unknown): Date | null {
  return typeof value === 'string' ? parseDatetime(value) : null
}

function readTime(value: unknown, { error }: CustomHelpers): unknown {
  if (value === null) return error('any.null')
  if (typeof value !== 'string') return error('time.base', { type: typeof value })
  return parseTime(value) ?? error('time.format')
}

function readJson(value: unknown, helpers: CustomHelpers): unknown {
  if (value === null) return helpers.error('any.null')
  const fault = findJsonFault(value)
  if (fault === null) return storedJson(value)
  const limit = fault.code === 'json.depth' ? MAX_JSON_DEPTH : undefined
  return helpers.error(fault.code, { within: fault.path, limit })
}

function blocksReader({ extended }: ScalarDefinition): CustomValidator {
  return (value: unknown, helpers) => {
    if (!Array.isArray(value)) return helpers.error('array.base')
    const nodes: readonly unknown[] = value
    const faults = findBlockFaults(nodes, helpers.state.path ?? [], extended)
    if (faults.length > 0) return helpers.error('blocks', { faults })
    const stored = mapEntryLinks(nodes, (node) => ({ ...node, url: '' }))
    return readJson(stored, helpers)
  }
}

function readLocation(value: unknown, { error }: CustomHelpers): unknown {
  if (value === null) return error('any.null')
  const location = parseLocation(value)
  if (!('code' in location)) return toPoint(location)
  const { code, path: within, limit } = location
  return error(code, { within, limit })
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}
