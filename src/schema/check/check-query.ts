import Joi from 'joi'
import { isRecord } from '../../base/is-record.ts'
import { didYouMean } from '../../base/near-miss.ts'
import {
  type Data,
  type DeclarationProblem,
  type DeclarationFile,
  PARAMETER_TYPES,
  type ParameterDefinition,
  type QueryDefinition,
} from '../definition.ts'

export interface CheckedQuery {
  readonly name: string
  readonly file: string
  readonly faults: readonly DeclarationProblem[]
  readonly query: QueryDefinition | null
}

const MAX_NAME = 64
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const PARAMETER_NAME = /^[A-Za-z]\w*$/

const TAKEN: ReadonlySet<string> = new Set([
  'locale',
  'status',
  'fallbackLocale',
  'publicationFilter',
])

const PARAMETER: Joi.PartialSchemaMap = {
  type: Joi.valid(...PARAMETER_TYPES).required(),
  required: Joi.boolean(),
  default: Joi.alternatives(Joi.string().allow(''), Joi.number(), Joi.boolean()),
  list: Joi.boolean(),
  enum: Joi.array().items(Joi.string()).min(1).unique(),
  description: Joi.string().allow(''),
}

const ASKED: Joi.PartialSchemaMap = {
  filters: Joi.object(),
  populate: Joi.alternatives(Joi.string(), Joi.array(), Joi.object()),
  fields: Joi.alternatives(Joi.string(), Joi.array().items(Joi.string())),
  sort: Joi.alternatives(Joi.string(), Joi.array(), Joi.object()),
  search: Joi.alternatives(Joi.string(), Joi.object()),
  rank: Joi.alternatives(Joi.string(), Joi.object()),
  pagination: Joi.object(),
  aggregate: Joi.object(),
}

const MAX_KEYS = 3
const MAX_MEASURES = 10

const MEASURED = Joi.array().items(Joi.string()).min(1).max(MAX_MEASURES).unique()

const AGGREGATE: Joi.PartialSchemaMap = {
  groupBy: Joi.array().items(Joi.string()).min(1).max(MAX_KEYS).required(),
  count: Joi.boolean(),
  avg: MEASURED,
  min: MEASURED,
  max: MEASURED,
  sum: MEASURED,
}

const QUERY: Joi.PartialSchemaMap = {
  type: Joi.string().required(),
  description: Joi.string().allow(''),
  single: Joi.boolean(),
  parameters: Joi.object(),
  locale: Joi.string(),
  fallbackLocale: Joi.array().items(Joi.string()).min(1),
  rules: Joi.valid('caller', 'none'),
  ...ASKED,
}

const QUERY_RULE = Joi.object(QUERY).unknown().required()
const PARAMETER_RULE = Joi.object(PARAMETER).unknown().required()
const AGGREGATE_RULE = Joi.object(AGGREGATE).unknown()

export function checkQuery({ file, uid: name, content, fault }: DeclarationFile): CheckedQuery {
  if (fault !== undefined) {
    return { name, file, faults: [{ path: '', problem: fault }], query: null }
  }
  const faults = [
    ...findNameFaults(name),
    ...findFaults(QUERY_RULE, content, QUERY),
    ...parametersOf(content).flatMap(([key, parameter]) => findParameterFaults(key, parameter)),
    ...findAggregateFaults(content),
  ]
  return {
    name,
    file,
    faults,
    query: faults.length > 0 ? null : toQuery(name, file, content as Declared),
  }
}

interface Declared extends Data {
  readonly type: string
  readonly description?: string
  readonly single?: boolean
  readonly parameters?: Readonly<Record<string, ParameterDefinition>>
  readonly locale?: string
  readonly fallbackLocale?: readonly string[]
  readonly rules?: 'caller' | 'none'
}

function toQuery(name: string, file: string, declared: Declared): QueryDefinition {
  const { type, description = '', single = false, parameters = {} } = declared
  const { locale, fallbackLocale, rules } = declared
  return {
    name,
    file,
    description,
    type,
    single,
    parameters,
    ...(locale !== undefined && { locale }),
    ...(fallbackLocale !== undefined && { fallbackLocale }),
    ...(rules !== undefined && { rules }),
    asked: Object.fromEntries(
      Object.keys(ASKED).flatMap((key) => (key in declared ? [[key, declared[key]]] : [])),
    ),
  }
}

function findNameFaults(name: string): readonly DeclarationProblem[] {
  if (NAME.test(name) && name.length <= MAX_NAME) return []
  const problem = `a query is named by its file: lower-case letters, digits and hyphens, at most ${MAX_NAME} (${name})`
  return [{ path: '', problem }]
}

function parametersOf(content: unknown): readonly (readonly [string, unknown])[] {
  const { parameters } = (content ?? {}) as { readonly parameters?: unknown }
  const isObject = typeof parameters === 'object' && parameters !== null
  return isObject && !Array.isArray(parameters) ? Object.entries(parameters) : []
}

function findParameterFaults(name: string, content: unknown): readonly DeclarationProblem[] {
  const path = `parameters.${name}`
  const named = PARAMETER_NAME.test(name)
    ? TAKEN.has(name)
      ? [{ path, problem: 'every query has this parameter by itself' }]
      : []
    : [{ path, problem: 'must be a letter, then letters, digits and _' }]
  const faults = findFaults(PARAMETER_RULE, content, PARAMETER)
  const inside = faults.map((fault) => {
    return { ...fault, path: fault.path === '' ? path : `${path}.${fault.path}` }
  })
  if (faults.length > 0) return [...named, ...inside]
  return [...named, ...contradictionsOf(path, content as ParameterDefinition)]
}

function findAggregateFaults(content: unknown): readonly DeclarationProblem[] {
  const { aggregate } = (content ?? {}) as { readonly aggregate?: unknown }
  if (!isRecord(aggregate)) return []
  const faults = findFaults(AGGREGATE_RULE, aggregate, AGGREGATE).map((fault) => ({
    ...fault,
    path: `aggregate.${fault.path}`,
  }))
  const isEmpty = !Object.keys(aggregate).some(
    (key) => key !== 'groupBy' && aggregate[key] !== false,
  )
  if (faults.length > 0 || !isEmpty) return faults
  return [{ path: 'aggregate', problem: 'needs "count": true, avg, min, max or sum' }]
}

function contradictionsOf(
  path: string,
  { type, required, default: fallback, list, enum: values }: ParameterDefinition,
): readonly DeclarationProblem[] {
  const faults: DeclarationProblem[] = []
  if ((type === 'enumeration') !== (values !== undefined)) {
    const problem = 'must be given for an enumeration, and for no other type'
    faults.push({ path: `${path}.enum`, problem })
  }
  if (fallback === undefined) return faults
  if (required === true) {
    faults.push({ path: `${path}.default`, problem: 'has no effect on a required parameter' })
  }
  if (list === true) {
    faults.push({
      path: `${path}.default`,
      problem: 'is not allowed for a list: a list that is left out sets no condition',
    })
  }
  return faults
}

function findFaults(
  rule: Joi.Schema,
  content: unknown,
  known: Joi.PartialSchemaMap,
): readonly DeclarationProblem[] {
  const { error } = rule.validate(content, {
    abortEarly: false,
    convert: false,
    errors: { label: false, wrap: { array: false } },
  })
  const faults = (error?.details ?? []).map(({ path, message }) => ({
    path: path.join('.'),
    problem: message,
  }))
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return faults
  const names = Object.keys(known)
  const unknown = Object.keys(content).filter((key) => !names.includes(key))
  return [
    ...faults,
    ...unknown.map((key) => ({ path: key, problem: `no such key${didYouMean(key, names)}` })),
  ]
}
