import type { ComputedDefinition, ScalarType } from '../../schema/definition.ts'
import { isRequiredInWrites, type ScalarPlan } from '../../schema/plan.ts'
import { MAX_LATITUDE, MAX_LONGITUDE } from '../../schema/values/location.ts'
import { blocksSchema } from './block-schemas.ts'
import { FLAG, type JsonSchema, arraySchema, objectOf, orNull, TEXT } from './json-schema.ts'
import type { Vocabulary } from './vocabulary.ts'

const BIGINTEGER = { type: 'string', pattern: '^-?\\d+$' } as const
const INT32 = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } as const
const TIME = {
  type: 'string',
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,3})?$',
} as const

const RESPONSE_SCHEMAS: Readonly<Record<Exclude<ScalarType, 'blocks' | 'location'>, JsonSchema>> = {
  string: TEXT,
  text: TEXT,
  richtext: { ...TEXT, description: 'Markdown' },
  email: TEXT,
  uid: TEXT,
  password: TEXT,
  enumeration: TEXT,
  integer: { type: 'integer' },
  float: { type: 'number' },
  decimal: { type: 'number' },
  biginteger: BIGINTEGER,
  boolean: FLAG,
  date: { ...TEXT, format: 'date' },
  time: TIME,
  datetime: { ...TEXT, format: 'date-time' },
  timestamp: { ...BIGINTEGER, description: 'Milliseconds since 1970' },
  json: { description: 'Any JSON value' },
}

const COORDINATES: JsonSchema = {
  ...objectOf(
    {
      latitude: { type: 'number', minimum: -MAX_LATITUDE, maximum: MAX_LATITUDE },
      longitude: { type: 'number', minimum: -MAX_LONGITUDE, maximum: MAX_LONGITUDE },
    },
    ['latitude', 'longitude'],
  ),
  description: 'A place, in degrees',
}

const MOMENT = {
  type: ['string', 'integer'],
  format: 'date-time',
  description: 'A date and time, or milliseconds since 1970',
} as const

const GIVEN: Readonly<Partial<Record<ScalarType, JsonSchema>>> = {
  integer: INT32,
  decimal: { type: ['number', 'string'] },
  biginteger: { type: ['integer', 'string'], pattern: '^[+-]?\\d+$' },
  datetime: MOMENT,
  timestamp: MOMENT,
}

/** Never null, because the server sets them in every entry. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'documentId'])

export function shownScalar(vocabulary: Vocabulary, plan: ScalarPlan): JsonSchema {
  const schema = valueSchema(vocabulary, plan)
  if (plan.computed !== undefined) return orNull({ ...schema, ...computedSchema(plan.computed) })
  const isThere = plan.system && plan.nullable !== true && ALWAYS.has(plan.name)
  return isThere ? schema : orNull(schema)
}

function computedSchema({ description = '' }: ComputedDefinition): JsonSchema {
  const notes = 'Computed; filters and sort cannot use it.'
  return { readOnly: true, description: description === '' ? notes : `${description} ${notes}` }
}

export function givenScalar(
  vocabulary: Vocabulary,
  plan: ScalarPlan,
  mayBeUnfinished: boolean,
): JsonSchema {
  const value = GIVEN[plan.type] ?? valueSchema(vocabulary, plan)
  const schema = { ...value, ...formerSchema(plan), ...boundsOf(plan) }
  const { minLength, regex, min } = plan.limits
  const finished = {
    ...(minLength !== undefined && { minLength }),
    // An empty text always passes, as in the reference.
    ...(regex !== undefined && isPattern(regex) && { pattern: `^$|(?:${regex})` }),
    ...(typeof min === 'number' && plan.type !== 'decimal' && { minimum: min }),
  }
  const given: JsonSchema = mayBeUnfinished ? schema : { ...schema, ...finished }
  return isRequiredInWrites(plan) && !mayBeUnfinished ? given : orNullText(given)
}

/** Older values of an enumeration are accepted, and stored as the current ones. */
function formerSchema({ limits: { enum: values, formerValues } }: ScalarPlan): JsonSchema {
  if (values === undefined || formerValues === undefined) return {}
  return { enum: [...values, ...formerValues.map(([former]) => former)] }
}

export function operandSchema(plan: ScalarPlan, operator: string): JsonSchema {
  if (operator === 'null' || operator === 'notNull') return FLAG
  const one = OPERANDS[plan.type] ?? TEXT
  if (operator === 'in' || operator === 'notIn') return arraySchema(one)
  if (operator === 'between') return { ...arraySchema(one), minItems: 2, maxItems: 2 }
  return one
}

const OPERANDS: Readonly<Partial<Record<ScalarType, JsonSchema>>> = {
  integer: { type: 'integer' },
  float: { type: 'number' },
  decimal: { type: 'number' },
  boolean: FLAG,
}

export function valueSchema(
  vocabulary: Vocabulary,
  { type, limits }: Pick<ScalarPlan, 'type' | 'limits'>,
): JsonSchema {
  if (type === 'blocks') return blocksSchema(vocabulary, limits.extended)
  if (type === 'location') return vocabulary.refer('Coordinates', () => COORDINATES)
  if (type === 'enumeration' && limits.enum !== undefined) return { ...TEXT, enum: limits.enum }
  return RESPONSE_SCHEMAS[type]
}

function boundsOf({ type, limits: { max, maxLength } }: ScalarPlan): JsonSchema {
  return {
    ...(maxLength !== undefined && { maxLength }),
    ...(typeof max === 'number' && type !== 'decimal' && { maximum: max }),
  }
}

/** JSON Schema patterns use the flag `u`, which rejects some older patterns. */
function isPattern(regex: string): boolean {
  try {
    return new RegExp(regex, 'u').unicode
  } catch {
    return false
  }
}

function orNullText(schema: JsonSchema): JsonSchema {
  const { type } = schema
  return Array.isArray(type) ? { ...schema, type: [...(type as string[]), 'null'] } : orNull(schema)
}
