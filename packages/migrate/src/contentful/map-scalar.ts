import type { Data } from '../data.ts'
import type { ContentfulField } from './export-types.ts'
import { factsKey, type FieldFacts, type ContentfulSurvey } from './survey.ts'

export type FieldMapping =
  | { readonly kind: 'value'; readonly type: string; readonly choices: ReadonlySet<string> | null }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'media'; readonly multiple: boolean }
  | { readonly kind: 'relation'; readonly multiple: boolean; readonly target: string }
  /** Links to several types become a zone of components with one relation each. */
  | { readonly kind: 'zone'; readonly multiple: boolean; readonly targets: ReadonlySet<string> }

export interface Proposed {
  readonly mapping: FieldMapping
  readonly attribute: Data
}

interface KnownField {
  readonly field: ContentfulField
  readonly facts: FieldFacts | undefined
  readonly widget: string | undefined
}

const SCALARS: ReadonlyMap<string, (known: KnownField) => Proposed> = new Map([
  ['Symbol', mapSymbol],
  ['Text', mapText],
  ['Integer', mapInteger],
  ['Number', ({ field }) => scalar('float', bounds(field), field)],
  ['Boolean', ({ field }) => scalar('boolean', {}, field)],
  ['Date', mapDate],
  ['Object', ({ field }) => scalar('json', {}, field)],
  ['Location', ({ field }) => scalar('json', {}, field)],
  ['RichText', () => ({ mapping: { kind: 'blocks' }, attribute: { type: 'blocks' } })],
])

/** Derives options from validations such as size and range. Returns null for other types. */
export function mapScalar(
  type: string,
  field: ContentfulField,
  survey: ContentfulSurvey,
): Proposed | null {
  const key = factsKey(type, field.id)
  const known = { field, facts: survey.facts.get(key), widget: survey.widgets.get(key) }
  return SCALARS.get(field.type)?.(known) ?? null
}

function mapSymbol({ field, widget }: KnownField): Proposed {
  const choices = validation(field, 'in')
  if (Array.isArray(choices) && choices.length > 0) {
    const values = [...new Set(choices as readonly string[])]
    return scalar('enumeration', { enum: values, ...uniqueness(field) }, field, new Set(values))
  }
  const index = widget === 'slugEditor' ? { index: true } : {}
  const rules = { ...index, ...uniqueness(field), ...textRules(field) }
  // A symbol has up to 256 characters: https://www.contentful.com/developers/docs/technical-limits/
  return scalar('string', { maxLength: 256, ...rules }, field)
}

function mapText({ field, widget = 'markdown' }: KnownField): Proposed {
  const type = widget === 'markdown' ? 'richtext' : 'text'
  return scalar(type, { ...uniqueness(field), ...textRules(field) }, field)
}

function mapInteger({ field, facts }: KnownField): Proposed {
  const type = facts?.isSmall === false ? 'biginteger' : 'integer'
  return scalar(type, { ...uniqueness(field), ...bounds(field) }, field)
}

function mapDate({ field, facts }: KnownField): Proposed {
  return scalar(facts?.isDay === true ? 'date' : 'datetime', {}, field)
}

function uniqueness(field: ContentfulField): Data {
  return validation(field, 'unique') === true ? { unique: true } : {}
}

function scalar(
  type: string,
  options: Data,
  { required }: ContentfulField,
  choices: ReadonlySet<string> | null = null,
): Proposed {
  const attribute = { type, ...(required === true && { required: true }), ...options }
  return { mapping: { kind: 'value', type, choices }, attribute }
}

function validation(field: ContentfulField, name: string): unknown {
  return field.validations?.find((each) => each[name] !== undefined)?.[name]
}

function bounds(field: ContentfulField): Data {
  const { min, max } = (validation(field, 'range') ?? {}) as Data
  return { ...(typeof min === 'number' && { min }), ...(typeof max === 'number' && { max }) }
}

function textRules(field: ContentfulField): Data {
  const { min, max } = (validation(field, 'size') ?? {}) as Data
  const { pattern, flags } = (validation(field, 'regexp') ?? {}) as Data
  return {
    ...(typeof min === 'number' && { minLength: min }),
    ...(typeof max === 'number' && { maxLength: max }),
    ...(typeof pattern === 'string' && !flags && isRegex(pattern) && { regex: pattern }),
  }
}

function isRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}
