import { ValidationError } from '../../base/errors.ts'
import type { Data, ParameterDefinition, ParameterType } from '../../schema/definition.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { invalidValue } from '../query-error.ts'
import { QUERY_LIMITS } from '../query.ts'
import type { Given } from './places.ts'

export type Parameters = ReadonlyMap<string, ParameterDefinition>

const SAMPLES: Readonly<Record<ParameterType, string>> = {
  string: 'text',
  enumeration: '',
  integer: '1',
  biginteger: '1',
  float: '1.5',
  decimal: '1.5',
  boolean: 'true',
  date: '2026-01-31',
  time: '12:00:00',
  datetime: '2026-01-31T12:00:00.000Z',
}

export function readParameters(parameters: Parameters, query: Data): Given {
  const given = new Map<string, string | readonly string[]>()
  for (const [name, definition] of parameters) {
    const value = query[name]
    if (value !== undefined) given.set(name, readValue(name, definition, value))
    else if (definition.required === true) throw invalidValue(name, 'is required')
    else if (definition.default !== undefined) given.set(name, String(definition.default))
  }
  return given
}

/** Together the sets cover every enumeration value. */
export function sampleValues(parameters: Parameters): readonly Given[] {
  const rounds = Math.max(
    1,
    ...[...parameters.values()].map(({ enum: values = [] }) => values.length),
  )
  return Array.from({ length: rounds }, (_, round) => {
    const one = ({ type, enum: values }: ParameterDefinition): string =>
      values === undefined ? SAMPLES[type] : (values[round % values.length] ?? '')
    return new Map(
      [...parameters].map(([name, definition]) => {
        const text = one(definition)
        return [name, definition.list === true ? [text, text] : text]
      }),
    )
  })
}

export function defaultProblem(name: string, definition: ParameterDefinition): string | null {
  if (definition.default === undefined) return null
  try {
    readOne(name, definition, String(definition.default))
    return null
  } catch (error) {
    if (error instanceof ValidationError) return error.message
    throw error
  }
}

function readValue(
  name: string,
  definition: ParameterDefinition,
  value: unknown,
): string | readonly string[] {
  if (definition.list !== true) return readOne(name, definition, value)
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (values.length > QUERY_LIMITS.listItems) {
    throw invalidValue(name, `at most ${QUERY_LIMITS.listItems} values`)
  }
  return values.map((one, index) => readOne(`${name}[${index}]`, definition, one))
}

function readOne(
  path: string,
  { type, enum: values }: ParameterDefinition,
  value: unknown,
): string {
  if (typeof value !== 'string') throw invalidValue(path, 'expected one value')
  if (values !== undefined && !values.includes(value)) {
    throw invalidValue(path, `expected one of ${values.join(', ')}`)
  }
  try {
    SCALAR_KINDS[type].fromQuery(value)
    return value
  } catch (error) {
    if (error instanceof ValidationError) throw invalidValue(path, error.message)
    throw error
  }
}
