import Joi from 'joi'
import { assertWhole } from '../access/input.ts'
import { type Fault, ValidationError, validationError, fault } from '../../base/errors.ts'
import { reasonOf, sentenceOf } from '../../schema/values/value-messages.ts'
import { MAX_PASSWORD_BYTES } from '../sign-in/passwords.ts'

type Input = Readonly<Record<string, unknown>>

export type Rules = Readonly<Record<string, Joi.Schema>>

const MAX_CHARACTERS = 255
const MAX_LOOKED_UP = 1_000
/** In characters. */
const MAX_TOKEN_LENGTH = 16_384

export const RULES = {
  text: Joi.string().max(MAX_LOOKED_UP),
  idToken: Joi.string().max(MAX_TOKEN_LENGTH),
  email: Joi.string()
    .max(MAX_CHARACTERS)
    .email({ tlds: { allow: false } }),
  username: Joi.string().min(3).max(MAX_CHARACTERS),
  /** Hashes are limited to 72 bytes. */
  password: Joi.string().custom(assertFits),
  newPassword: Joi.string().min(6).custom(assertFits),
  deviceId: Joi.string().max(MAX_CHARACTERS),
  scope: Joi.valid('all', 'current'),
  flag: Joi.boolean(),
  anything: Joi.any(),
} as const

export function required(rule: Joi.Schema): Joi.Schema {
  return rule.required()
}

/** As in the reference, the length is checked only if all required keys are present. */
export const NEW_PASSWORD: Rules = { password: RULES.newPassword }
export const NEW_NAME_AND_PASSWORD: Rules = { username: RULES.username, ...NEW_PASSWORD }

/** Ignores other keys. @throws ValidationError with every fault, in the order of the rules. */
export function readAccount(rules: Rules, body: unknown): Input {
  const given = objectOf(body)
  // Own properties only, so that no value comes from a prototype.
  const picked = Object.keys(rules)
    .filter((key) => Object.hasOwn(given, key))
    .map((key) => [key, given[key]] as const)
  const values = Object.fromEntries(picked)
  assertWhole(values)
  const { error, value } = Joi.object(rules).validate(values, {
    abortEarly: false,
    convert: false,
  }) as { readonly error?: Joi.ValidationError; readonly value: Input }
  const [first, ...rest] = onePerKey(error?.details ?? []).map((item) => toFault(item, given))
  if (first !== undefined) throw validationError([first, ...rest])
  return value
}

export function readText(input: Input, key: string): string {
  const value = input[key]
  if (typeof value !== 'string') throw new Error(`${key} was not asked for`)
  return value
}

export function optionalTextOf(input: Input, key: string): string | null {
  return input[key] === undefined ? null : readText(input, key)
}

/** @throws ValidationError with the keys that are not allowed. */
export function assertOnly(keys: readonly string[], body: unknown): void {
  const unknown = Object.keys(objectOf(body)).filter((key) => !keys.includes(key))
  if (unknown.length === 0) return
  throw new ValidationError(
    `Invalid parameters: ${unknown.join(', ')}`,
    {},
    { code: 'invalid_key' },
  )
}

export function assertConfirmed(input: Input): void {
  const { password, passwordConfirmation } = input
  if (password === passwordConfirmation) return
  throw validationError([
    fault(['passwordConfirmation'], 'Passwords do not match', passwordConfirmation, {
      code: 'password.match',
    }),
  ])
}

function objectOf(body: unknown): Input {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Input) : {}
}

function assertFits(password: string, helpers: Joi.CustomHelpers): unknown {
  const isLong = Buffer.byteLength(password, 'utf8') > MAX_PASSWORD_BYTES
  return isLong ? helpers.error('password.bytes') : password
}

/** A text that is both too short and not an address has one fault only. */
function onePerKey(items: readonly Joi.ValidationErrorItem[]): readonly Joi.ValidationErrorItem[] {
  return items.filter(
    ({ path }, index) => index === items.findIndex((other) => other.path[0] === path[0]),
  )
}

const MISSING: ReadonlySet<string> = new Set(['any.required', 'string.empty'])

function toFault({ type, path, context = {} }: Joi.ValidationErrorItem, given: Input): Fault {
  const key = String(path[0])
  const value = given[key]
  const isMissing = MISSING.has(type) || value === null
  if (isMissing) return fault(path, `${key} is a required field`, value, { code: 'any.required' })
  if (type === 'password.bytes') {
    const message = `Password must be less than ${MAX_PASSWORD_BYTES + 1} bytes`
    return fault(path, message, value, {
      code: 'password.bytes',
      params: { limit: MAX_PASSWORD_BYTES },
    })
  }
  const complaint = { code: type, path, context }
  return fault(path, sentenceOf(complaint), value, reasonOf(complaint))
}
