import Joi from 'joi'
import { fault, type Reason, type ValidationError, validationError } from '../../base/errors.ts'
import { findText, findTextFault } from '../../schema/values/json-values.ts'

const OPTIONS: Joi.ValidationOptions = {
  abortEarly: false,
  allowUnknown: false,
  convert: false,
  errors: { label: 'path', wrap: { label: false } },
}

/** Rejects control characters, because terminals show the text. */
export function shortText(): Joi.StringSchema {
  return Joi.string()
    .max(255)
    .pattern(/^(?!\s)[^\p{Cc}]+(?<!\s)$/u, { name: 'line' })
    .messages({
      'string.pattern.name': '{{#label}} must be one line without spaces around it',
    })
}

/** Does not convert values. @throws ValidationError with every fault and its path, including unknown keys. */
export function readInput<T>(rule: Joi.ObjectSchema<T>, input: unknown): T {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw validationError([
      fault([], 'the body must be a JSON object', input, { code: 'object.base' }),
    ])
  }
  // Joi copies by assignment, which would turn an own `__proto__` into the prototype and hide it from validation.
  if (Object.hasOwn(input, '__proto__')) {
    throw validationError([
      fault(['__proto__'], '__proto__ is not allowed', undefined, { code: 'object.unknown' }),
    ])
  }
  assertWhole(input)
  const abortEarly = hasMore(input, MAX_LIST_LENGTH)
  const result = rule.validate(input, { ...OPTIONS, abortEarly })
  if (result.error === undefined) return result.value
  const [first, ...rest] = result.error.details.map((item) =>
    fault(item.path.map(String), item.message, item.context?.value, reasonOf(item)),
  )
  throw validationError([
    first ?? fault([], result.error.message, undefined, { code: 'any.invalid' }),
    ...rest,
  ])
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

function reasonOf({ type, context }: Joi.ValidationErrorItem): Reason {
  const code = REASONS[type] ?? 'any.invalid'
  const { limit, valids } = (context ?? {}) as {
    readonly limit?: unknown
    readonly valids?: unknown
  }
  if (typeof limit === 'number') return { code, params: { limit } }
  return Array.isArray(valids) ? { code, params: { valids: valids.map(String) } } : { code }
}

/** Above this number of values, only the first fault is reported. Collecting all faults would be too expensive. */
const MAX_LIST_LENGTH = 1_000

function hasMore(value: unknown, most: number): boolean {
  return countTo(value, most + 1) > most
}

function countTo(value: unknown, enough: number): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const key of Object.keys(value)) {
    count += 1 + countTo((value as Readonly<Record<string, unknown>>)[key], enough - count)
    if (count >= enough) return enough
  }
  return count
}

/**
 * Lone surrogates are replaced when stored, which could make two passwords equal. NUL ends a text in many programs.
 * @throws ValidationError
 */
export function assertWhole(input: unknown): void {
  const broken = findText(input, (text) => findTextFault(text) === 'nul')
  if (broken !== null) {
    const message = `${broken.join('.')} must not contain a NUL character`
    throw validationError([fault(broken, message, undefined, { code: 'string.nul' })])
  }
  const half = findText(input, (text) => findTextFault(text) === 'surrogate')
  if (half === null) return
  throw validationError([
    fault(half, `${half.join('.')} must not contain half of a surrogate pair`, undefined, {
      code: 'string.surrogate',
    }),
  ])
}

export function takenError(key: string, value: string): ValidationError {
  return inputError(key, 'This attribute must be unique', value, { code: 'any.unique' })
}

export function inputError(
  key: string,
  message: string,
  value: unknown,
  reason: Reason,
): ValidationError {
  return validationError([fault([key], message, value, reason)])
}
