import Joi from 'joi'
import { fault, type Reason, type ValidationError, validationError } from '../errors.ts'
import { findHalf } from '../schema/values/text-values.ts'

const OPTIONS: Joi.ValidationOptions = {
  abortEarly: false,
  allowUnknown: false,
  convert: false,
  errors: { label: 'path', wrap: { label: false } },
}

/** A short text of one line, such as a name; without control characters, since terminals show it. */
export function shortText(): Joi.StringSchema {
  return Joi.string()
    .max(255)
    .pattern(/^(?!\s)[^\p{Cc}]+(?<!\s)$/u, { name: 'line' })
    .messages({
      'string.pattern.name': '{{#label}} must be one line without spaces around it',
    })
}

/**
 * What a client sent, as the rule describes it; nothing is converted.
 * @throws ValidationError with every fault, unknown keys included, each with its path.
 */
export function readInput<T>(rule: Joi.ObjectSchema<T>, input: unknown): T {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw validationError([
      fault([], 'the body must be a JSON object', input, { code: 'object.base' }),
    ])
  }
  // Joi copies by assignment, by which an own `__proto__` becomes the prototype and is not seen.
  if (Object.hasOwn(input, '__proto__')) {
    throw validationError([fault(['__proto__'], '__proto__ is not allowed')])
  }
  assertWhole(input)
  const abortEarly = hasMore(input, MANY)
  const result = rule.validate(input, { ...OPTIONS, abortEarly })
  if (result.error === undefined) return result.value
  const [first, ...rest] = result.error.details.map((item) =>
    fault(item.path.map(String), item.message, item.context?.value, reasonOf(item)),
  )
  throw validationError([first ?? fault([], result.error.message), ...rest])
}

const REASONS: Readonly<Partial<Record<string, Reason['code']>>> = {
  'any.only': 'any.only',
  'any.required': 'any.required',
  'array.base': 'array.base',
  'array.max': 'array.max',
  'array.min': 'array.min',
  'boolean.base': 'boolean.base',
  'number.base': 'number.base',
  'number.integer': 'number.integer',
  'number.max': 'number.max',
  'number.min': 'number.min',
  'object.base': 'object.base',
  'object.unknown': 'object.unknown',
  'string.base': 'string.base',
  'string.email': 'string.email',
  'string.empty': 'string.empty',
  'string.max': 'string.max',
  'string.min': 'string.min',
  'string.pattern.base': 'string.pattern',
  'string.pattern.name': 'string.line',
  'string.uri': 'string.uri',
}

/** Undefined for what nobody writes by hand. */
function reasonOf({ type, context }: Joi.ValidationErrorItem): Reason | undefined {
  const code = REASONS[type]
  if (code === undefined) return undefined
  const { limit, valids } = (context ?? {}) as {
    readonly limit?: unknown
    readonly valids?: unknown
  }
  if (typeof limit === 'number') return { code, params: { limit } }
  return Array.isArray(valids) ? { code, params: { valids: valids.map(String) } } : { code }
}

/** Beyond so many values the first fault is reported alone: each costs the checks and the answer more than the value. */
const MANY = 1_000

/** Whether there are more values than `most` within a value. */
function hasMore(value: unknown, most: number): boolean {
  return countTo(value, most + 1) > most
}

/** How many values there are within a value, or `enough`. */
function countTo(value: unknown, enough: number): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const key of Object.keys(value)) {
    count += 1 + countTo((value as Readonly<Record<string, unknown>>)[key], enough - count)
    if (count >= enough) return enough
  }
  return count
}

/** @throws ValidationError for texts that would be stored as others: two names or two passwords would become one. */
export function assertWhole(input: unknown): void {
  const half = findHalf(input)
  if (half === null) return
  throw validationError([
    fault(half, `${half.join('.')} must not contain half of a surrogate pair`, undefined, {
      code: 'string.surrogate',
    }),
  ])
}

/** A fault of one key that no rule can see, such as a name that is taken. */
export function inputError(
  key: string,
  message: string,
  value?: unknown,
  reason?: Reason,
): ValidationError {
  return validationError([fault([key], message, value, reason)])
}
