import type { Param, Reason } from '../../base/errors.ts'
import { JSON_SENTENCES } from './json-values.ts'
import {
  DATE_FORMAT_MESSAGE,
  DATE_MESSAGE,
  DATETIME_FORMAT_MESSAGE,
  TIME_FORMAT_MESSAGE,
} from './temporal.ts'

export interface Complaint {
  readonly code: string
  readonly path: readonly (string | number)[]
  readonly context: Readonly<Record<string, unknown>>
}

type Sentence = (label: string, context: Complaint['context']) => string

const MAX_PRINTED_CHARACTERS = 1000
const MAX_LISTED = 50

const SENTENCES = {
  'any.required': (label) => `${label} must be defined.`,
  'any.unknown': (label) => `${label} is not known`,
  'any.null': (label) => `${label} must be defined.`,
  'any.only': (label, { valids }) =>
    `${label} must be one of the following values: ${join(valids)}`,
  'enumeration.only': (label, { valids }) => oneOfOrNull(label, valids),
  'string.base': wrongType('string'),
  'boolean.base': wrongType('boolean'),
  'object.base': wrongType('object'),
  'array.base': wrongType('array'),
  'number.base': notANumber,
  'string.empty': (label) => `${label} cannot be empty`,
  'string.email': (label) => `${label} must be a valid email`,
  'string.min': (label, { limit }) => `${label} must be at least ${String(limit)} characters`,
  'string.max': (label, { limit }) => `${label} must be at most ${String(limit)} characters`,
  'string.match': (label, { regex }) => `${label} must match the following: "${String(regex)}"`,
  'string.matchTime': (label, { regex }) =>
    `${label} takes too long to be compared with "${String(regex)}"`,
  'number.integer': (label) => `${label} must be an integer`,
  'number.min': (label, { limit }) => `${label} must be greater than or equal to ${String(limit)}`,
  'number.max': (label, { limit }) => `${label} must be less than or equal to ${String(limit)}`,
  'biginteger.base': (label) => `${label} must be a valid integer`,
  'array.min': (label, { limit }) => `${label} field must have at least ${String(limit)} items`,
  'array.max': (label, { limit }) => atMostItems(label, limit),
  'decimal.digits': (label, { limit }) => `${label} must have at most ${String(limit)} digits`,
  'decimal.range': (label) =>
    `${label} must be 0 or, without its sign, from ${Number.MIN_VALUE} to ${Number.MAX_VALUE}`,
  ...JSON_SENTENCES,
  'date.format': (label) => `${label}: ${DATE_FORMAT_MESSAGE}`,
  'date.invalid': (label) => `${label}: ${DATE_MESSAGE}`,
  'datetime.format': (label) => `${label}: ${DATETIME_FORMAT_MESSAGE}`,
  'time.base': (label, { type }) => `${label}: Expected a string, got a ${String(type)}`,
  'time.format': (label) => `${label}: ${TIME_FORMAT_MESSAGE}`,
} satisfies Readonly<Partial<Record<Reason['code'], Sentence>>>

const KNOWN: ReadonlyMap<string, Sentence> = new Map(Object.entries(SENTENCES))

export function sentenceOf({ code, path, context }: Complaint): string {
  const label = labelOf(path)
  if (path.at(-1) === '__component' && code === 'any.required')
    return `${label} is a required field`
  const sentence = KNOWN.get(code)
  if (sentence === undefined) throw new Error(`There is no sentence for ${code} at ${label}`)
  return sentence(label, context)
}

export function reasonOf({ code, context }: Complaint): Reason {
  const { limit, valids, regex } = context
  const params = {
    ...(limit !== undefined && { limit: shownLimit(limit) }),
    ...(Array.isArray(valids) && { valids: valids.slice(0, MAX_LISTED).map(String) }),
    ...(regex instanceof RegExp && { pattern: regex.source }),
  } satisfies Readonly<Record<string, Param>>
  return reason(code as Reason['code'], params)
}

function shownLimit(limit: unknown): number | string {
  return typeof limit === 'number' ? limit : String(limit)
}

function reason(code: Reason['code'], params: Readonly<Record<string, Param>>): Reason {
  return Object.keys(params).length === 0 ? { code } : { code, params }
}

export function labelOf(path: readonly (string | number)[]): string {
  const label = path.reduce<string>(
    (before, key) => (typeof key === 'number' ? `${before}[${key}]` : `${before}.${key}`),
    '',
  )
  return label === '' ? 'this' : label.replace(/^\./, '')
}

export function printValue(value: unknown): string {
  const text =
    printSimple(value) ??
    JSON.stringify(value, (_, inner: unknown) => printSimple(inner) ?? inner, 2)
  return text.length > MAX_PRINTED_CHARACTERS ? `${text.slice(0, MAX_PRINTED_CHARACTERS)}…` : text
}

function printSimple(value: unknown): string | null {
  if (typeof value === 'string') return `"${value}"`
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? null : String(value)
}

function wrongType(type: string): Sentence {
  return (label, { value = null }) => {
    return `${label} must be a \`${type}\` type, but the final value was: \`${printValue(value)}\`.`
  }
}

function notANumber(label: string, { value }: Complaint['context']): string {
  const start = `${label} must be a \`number\` type, but the final value was:`
  if (value === null || value === undefined) return `${start} \`null\`.`
  return `${start} \`NaN\` (cast from the value \`${printValue(value)}\`).`
}

/** The trailing comma matches the reference, where null is one of the values. */
function oneOfOrNull(label: string, valids: unknown): string {
  return `${label} must be one of the following values: ${join(valids)}, `
}

function atMostItems(label: string, limit: unknown): string {
  return `${label} field must have less than or equal to ${String(limit)} items`
}

function join(values: unknown): string {
  return (values as readonly unknown[]).join(', ')
}
