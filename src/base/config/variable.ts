import Joi from 'joi'

/** The types of a member of `quire.config.ts`. Every member accepts the text of its variable as well. */
export type Accepted = 'text' | 'number' | 'boolean' | 'list'

/** `Value` includes undefined if the variable has no default. */
export interface Variable<Value = unknown> {
  readonly rule: Joi.Schema
  readonly expected: string
  readonly accepts: Accepted
  readonly secret?: true
  /** Never set. Carries the type only. */
  readonly value?: Value
}

/** A variable with its path in `quire.config.ts`, such as `http.port`. */
export interface NamedVariable<
  Member extends string = string,
  Value = unknown,
> extends Variable<Value> {
  readonly member: Member
}

const SWITCH: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  1: true,
  off: false,
  false: false,
  no: false,
  0: false,
}

export function at<const Member extends string, Value>(
  member: Member,
  variable: Variable<Value>,
): NamedVariable<Member, Value> {
  return { ...variable, member }
}

/** For rules that convert values, because Joi does not know the result type. */
export function checked<Value>(
  rule: Joi.Schema,
  expected: string,
  accepts: Accepted = 'text',
): Variable<Value> {
  return { rule, expected, accepts }
}

export function text(preset: string, rule: Joi.StringSchema, expected: string): Variable<string> {
  return { rule: rule.default(preset), expected, accepts: 'text' }
}

export function optional(rule: Joi.Schema, expected: string): Variable<string | undefined> {
  return { rule, expected, accepts: 'text' }
}

export function secret(rule: Joi.Schema, expected: string): Variable<string | undefined> {
  return { rule, expected, accepts: 'text', secret: true }
}

export function oneOf<const Word extends string>(
  words: readonly Word[],
  preset: Word,
): Variable<Word> {
  return {
    rule: Joi.valid(...words).default(preset),
    expected: listed(words),
    accepts: 'text',
  }
}

export function optionalOf<const Word extends string>(
  words: readonly Word[],
): Variable<Word | undefined> {
  return { rule: Joi.valid(...words), expected: listed(words), accepts: 'text' }
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

export function whole<Preset extends number | undefined>(
  preset: Preset,
  min: number,
  max: number,
): Variable<number | Preset> {
  const rule = Joi.string()
    .pattern(/^\d{1,16}$/)
    .custom((digits: string, helpers) => {
      const number = Number(digits)
      return number >= min && number <= max ? number : helpers.error('any.invalid')
    })
  return {
    rule: preset === undefined ? rule : rule.default(preset),
    expected: `a whole number from ${min} to ${max}`,
    accepts: 'number',
  }
}

export function onOff(preset: boolean): Variable<boolean> {
  const rule = Joi.string().custom((given: string, helpers) => {
    return SWITCH[given.toLowerCase()] ?? helpers.error('any.invalid')
  })
  return { rule: rule.default(preset), expected: 'on or off', accepts: 'boolean' }
}

export function addresses(): Variable<readonly string[] | undefined> {
  return {
    rule: Joi.string().custom((given: string, helpers) => {
      const urls = given.split(',').map((one) => one.trim())
      const isAddress = (one: string): boolean => /^https?:\/\//.test(one) && URL.canParse(one)
      return urls.every(isAddress) ? Object.freeze(urls) : helpers.error('any.invalid')
    }),
    expected: 'http:// or https:// addresses, with commas between them',
    accepts: 'list',
  }
}

export function url(...schemes: readonly string[]): Joi.StringSchema {
  return Joi.string().pattern(
    new RegExp(`^(${schemes.join('|').replaceAll('+', '\\+')})://[^\\s/]`),
  )
}

export function page(): Joi.StringSchema {
  return Joi.string().uri({ scheme: ['http', 'https'] })
}

export function toOrigins(given: string, helpers: Joi.CustomHelpers): unknown {
  if (given.trim() === '*') return '*'
  const origins = given.split(',').map((origin) => origin.trim())
  return origins.every(isOrigin) ? Object.freeze(origins) : helpers.error('any.invalid')
}

function isOrigin(given: string): boolean {
  return URL.canParse(given) && new URL(given).origin === given
}

/** In URL notation: lower case, IPv6 in brackets, optionally with a port. */
export function toHosts(given: string, helpers: Joi.CustomHelpers): unknown {
  const hosts = given.split(',').map((host) => host.trim())
  return hosts.every(isHost) ? Object.freeze(hosts) : helpers.error('any.invalid')
}

function isHost(given: string): boolean {
  const url = `http://${given}`
  return given !== '' && URL.canParse(url) && new URL(url).host === given
}

export function toNames(given: string, helpers: Joi.CustomHelpers): unknown {
  const names = given.split(',').map((name) => name.trim())
  const isName = (name: string): boolean => /^[A-Za-z]\w{0,254}$/.test(name)
  return names.every(isName) ? Object.freeze([...new Set(names)]) : helpers.error('any.invalid')
}

export function toSecondFactor(given: string, helpers: Joi.CustomHelpers): unknown {
  if (given === 'off' || given === 'required') return given
  const roles = given.split(',').map((role) => role.trim())
  const isRole = (role: string): boolean =>
    /^[a-z0-9][a-z0-9_-]{0,63}$/.test(role) && SWITCH[role] === undefined && role !== 'required'
  const isList = roles.every(isRole)
  return isList ? Object.freeze([...new Set(roles)]) : helpers.error('any.invalid')
}

export function toSizes(given: string, helpers: Joi.CustomHelpers): unknown {
  const sizes = given.split(',').map((size) => size.trim())
  const isSize = (size: string): boolean => /^[1-9]\d{0,3}$/.test(size) && Number(size) <= 4096
  return sizes.every(isSize)
    ? Object.freeze(sizes.map(Number).toSorted((one, other) => one - other))
    : helpers.error('any.invalid')
}

export function toProxyCount(given: string, helpers: Joi.CustomHelpers): unknown {
  const word = SWITCH[given.toLowerCase()]
  if (word !== undefined) return word ? 1 : 0
  return /^([2-9]|10)$/.test(given) ? Number(given) : helpers.error('any.invalid')
}
