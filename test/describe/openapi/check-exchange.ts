import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import qs from 'qs'
import type { ApiDescription } from '../../../src/describe/openapi/describe-api.ts'
import type { Operation } from '../../../src/describe/openapi/operation.ts'

export interface Exchange {
  readonly method: string
  /** With its query. */
  readonly target: string
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed JSON. Undefined without a body or with another type. */
  readonly requestBody: unknown
  readonly status: number
  readonly contentType: string | undefined
  /** The decoded body. Null if it is not readable. */
  readonly text: string | null
}

/** The result of a check: not covered by the description, or covered with a list of problems. */
export type CheckResult =
  | { readonly kind: 'outside'; readonly why: UncoveredReason }
  | { readonly kind: 'inside'; readonly operationId: string; readonly problems: readonly string[] }

/** Forms of requests that descriptions leave out, see docs/decisions/0046. */
export type UncoveredReason = 'path' | 'method' | 'format v4' | 'ids and counts' | 'packed'

/** Checks exchanges against a description. Validators are compiled on first use. */
export function openChecker(description: ApiDescription): (exchange: Exchange) => CheckResult {
  const asDescribed = openCheck(description, {})
  // The server also accepts numbers and booleans as text, and several date formats.
  const asRead = openCheck(description, { coerceTypes: true, validateFormats: false })
  const routes = Object.entries(description.paths)
    .map(([address, operations]) => ({ address, operations, pattern: patternOf(address) }))
    .toSorted((one, other) => parametersIn(one.address) - parametersIn(other.address))
  return (exchange) => {
    const [path = '', query = ''] = exchange.target.split('?', 2)
    const route = routes.find(({ pattern }) => pattern.test(decoded(path)))
    if (route === undefined) return { kind: 'outside', why: 'path' }
    const method = exchange.method.toLowerCase()
    const operation = route.operations[method]
    if (operation === undefined) return { kind: 'outside', why: 'method' }
    const why = outsideOf(exchange, query)
    if (why !== null) return { kind: 'outside', why }
    const at = ['paths', route.address, method]
    const asked =
      exchange.status < 300 ? findRequestProblems(exchange, query, operation, at, asRead) : []
    return {
      kind: 'inside',
      operationId: operation.operationId,
      problems: [
        ...asked,
        ...findAnswerProblems(exchange, description, operation, at, asDescribed),
      ],
    }
  }
}

type Check = (pointer: readonly string[], value: unknown, what: string) => readonly string[]

/**
 * Keyed by the options and the schema with its references, because descriptions in one process
 * share most schemas.
 */
const validators = new Map<string, ValidateFunction>()

function openCheck(description: ApiDescription, options: Options): Check {
  const byPointer = new Map<string, ValidateFunction>()
  return (pointer, value, what) => {
    const key = pointer.join('\n')
    const validate = byPointer.get(key) ?? validatorAt(pointer, description, options)
    byPointer.set(key, validate)
    const fits = validate(structuredClone(value)) // coercion changes the value
    return fits ? [] : [`${what}: ${sentenceOf(validate.errors ?? [])}`]
  }
}

function validatorAt(
  pointer: readonly string[],
  description: ApiDescription,
  options: Options,
): ValidateFunction {
  const schema = valueAt(description, pointer)
  if (schema === undefined) throw new Error(`there is no schema at ${pointer.join(' ')}`)
  const needed = new Map<string, unknown>()
  collectReferences(schema, description, needed)
  const text = JSON.stringify([options, schema, [...needed]])
  const known = validators.get(text)
  if (known !== undefined) return known
  const made = compile(schema, needed, options)
  validators.set(text, made)
  return made
}

/** Most validators run only a few times. The compiled root is not a valid schema itself. */
const QUICK: Options = { validateSchema: false, code: { optimize: false } }

function compile(
  schema: object,
  needed: ReadonlyMap<string, unknown>,
  options: Options,
): ValidateFunction {
  const ajv = new Ajv2020({ ...QUICK, strict: false, allErrors: true, logger: false, ...options })
  // Its types declare CommonJS, but it is an ES module.
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  ajv.addFormat('password', true)
  const root: Record<string, unknown> = { here: schema }
  for (const [reference, value] of needed) {
    const keys = keysOf(reference)
    let parent = root
    for (const key of keys.slice(0, -1)) parent = (parent[key] ??= {}) as Record<string, unknown>
    parent[keys.at(-1) ?? ''] = value
  }
  ajv.addSchema(root, 'description')
  const validate = ajv.getSchema('description#/here')
  if (validate === undefined) throw new Error('there is no schema')
  return validate
}

/** All schemas that a schema references, in the order of discovery. */
function collectReferences(
  schema: unknown,
  description: ApiDescription,
  found: Map<string, unknown>,
): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key !== '$ref' || typeof value !== 'string') {
      collectReferences(value, description, found)
    } else if (!found.has(value)) {
      const target = valueAt(description, keysOf(value))
      if (target === undefined) throw new Error(`there is no ${value}`)
      found.set(value, target)
      collectReferences(target, description, found)
    }
  }
}

/** The keys of a reference such as `#/components/schemas/Error`. */
function keysOf(reference: string): readonly string[] {
  return reference
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueAt(description: object, keys: readonly string[]): object | undefined {
  let value: unknown = description
  for (const key of keys) value = (value as Record<string, unknown> | undefined)?.[key]
  return value as object | undefined
}

function patternOf(address: string): RegExp {
  const source = address.replaceAll(/[.+]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source}/?$`, 'i')
}

function parametersIn(address: string): number {
  return address.split('{').length
}

function decoded(path: string): string {
  try {
    // A slash inside a parameter does not separate segments.
    return path
      .split('/')
      .map((part) => decodeURIComponent(part).replaceAll('/', ' '))
      .join('/')
  } catch {
    return path
  }
}

function outsideOf({ requestHeaders, text }: Exchange, query: string): UncoveredReason | null {
  if (requestHeaders['strapi-response-format'] !== undefined) return 'format v4'
  for (const part of decodeLoosely(query).split('&')) {
    if (/^populate.*(?:=ids$|\[count\]=)/.test(part)) return 'ids and counts'
  }
  return text === null ? 'packed' : null
}

function decodeLoosely(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '))
  } catch {
    return query
  }
}

/** Routes of extensions declare ranges. */
function declaredStatus({ responses }: Operation, status: number): string {
  return Object.hasOwn(responses, status) ? String(status) : `${String(status).charAt(0)}XX`
}

function findAnswerProblems(
  { status, contentType, text }: Exchange,
  description: ApiDescription,
  operation: Operation,
  at: readonly string[],
  check: Check,
): readonly string[] {
  const key = declaredStatus(operation, status)
  const declared: Declared | undefined = operation.responses[key]
  if (declared === undefined) return [`status ${status} is not declared`]
  const { pointer, content } = resolve(declared, description, [...at, 'responses', key])
  if (content === undefined) return text === '' ? [] : [`status ${status} has a body`]
  const type = contentType?.split(';', 1)[0] ?? 'nothing'
  if (type !== 'application/json') {
    if (type in content || '*/*' in content) return []
    return [`status ${status} is ${contentType}`]
  }
  const body: unknown = JSON.parse(text ?? '')
  return check([...pointer, 'content', 'application/json', 'schema'], body, `answer ${status}`)
}

/** The location of a response, which operations may share. */
function resolve(
  declared: Declared,
  { components: { responses } }: ApiDescription,
  at: readonly string[],
): { readonly pointer: readonly string[]; readonly content?: object } {
  const name = declared.$ref?.split('/').at(-1)
  if (name === undefined) return { ...declared, pointer: at }
  return { ...responses[name], pointer: ['components', 'responses', name] }
}

interface Declared {
  readonly $ref?: string
  readonly content?: object
}

function findRequestProblems(
  { requestBody }: Exchange,
  query: string,
  operation: Operation,
  at: readonly string[],
  check: Check,
): readonly string[] {
  const { parameters = [] } = operation
  const given = flatten(query)
  const ofQuery = parameters.flatMap((parameter, index) => {
    const value = parameter.in === 'query' ? given.get(parameter.name) : undefined
    if (value === undefined) return []
    const typed = typedValue(value, parameter.schema)
    if (isWider(parameter.name, typed)) return []
    return check([...at, 'parameters', String(index), 'schema'], typed, parameter.name)
  })
  const body = operation.requestBody as { readonly content: object } | undefined
  if (requestBody === undefined || body === undefined || !('application/json' in body.content))
    return ofQuery
  const pointer = [...at, 'requestBody', 'content', 'application/json', 'schema']
  return [...ofQuery, ...check(pointer, requestBody, 'body')]
}

/**
 * Input that the server accepts beyond its description, which stays narrow so that generated
 * clients can complete names: nested paths in `sort` and `populate`, unknown or several locales,
 * lists of operands for operators with one operand, and pages beyond the limits.
 */
function isWider(name: string, value: unknown): boolean {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (name === 'sort' || name === 'populate') {
    return values.some((one) => typeof one !== 'string' || /^$|\.|:(?:ASC|DESC)$/.test(one))
  }
  if (name === 'locale') return true
  if (name.startsWith('filters'))
    return Array.isArray(value) && !/In\]$|\$(?:in|between)\]$/.test(name)
  if (name === 'pagination[withCount]') return BOOLEANS.has(String(value))
  return PAGE.test(name) && Number.isInteger(value)
}

const PAGE = /^(?:pagination\[)?(?:page|pageSize|start|limit)\]?$/

/** The parameters of a query by name. `a[0]=x` is a list `a`. */
function flatten(query: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  const parsed = qs.parse(query, { depth: 25, arrayLimit: 1_000, parameterLimit: 1_000 })
  const walk = (value: unknown, name: string): void => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    const isListOfObjects = Array.isArray(value) && value.some((one) => typeof one === 'object')
    if (isObject) {
      for (const [key, inner] of Object.entries(value)) walk(inner, `${name}[${key}]`)
    } else if (!isListOfObjects) found.set(name, value)
  }
  for (const [key, value] of Object.entries(parsed)) walk(value, key)
  return found
}

const BOOLEANS = new Map([
  ...['true', 't', '1'].map((text) => [text, true] as const),
  ...['false', 'f', '0'].map((text) => [text, false] as const),
])

function typedValue(value: unknown, schema: Readonly<Record<string, unknown>>): unknown {
  if (schema['type'] === 'array') {
    const list: readonly unknown[] = Array.isArray(value) ? value : String(value).split(',')
    const items = schema['items'] as Readonly<Record<string, unknown>>
    return list.map((one) => typedValue(one, items))
  }
  if (typeof value !== 'string') return value
  if (schema['type'] === 'boolean') return BOOLEANS.get(value) ?? value
  if (schema['type'] !== 'integer' && schema['type'] !== 'number') return value
  return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value)
}

function sentenceOf(errors: readonly ErrorObject[]): string {
  return errors
    .slice(0, 4)
    .map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    .join('; ')
}
