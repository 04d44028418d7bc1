import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { ExtensionError, fault, type Fault, validationError } from '../../base/errors.ts'
import type { FaultCode } from '../../base/fault-codes.ts'
import type { RegisteredRoute } from '../../extensions/collect-routes.ts'

export interface RouteValidators {
  query(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  body(given: unknown): void
}

const ACCEPT_ALL: RouteValidators = { query: (given) => given, body: () => undefined }

export async function compileRouteValidators(
  routes: readonly RegisteredRoute[],
): Promise<ReadonlyMap<RegisteredRoute, RouteValidators>> {
  const checked = routes.filter(({ schema }) => schema?.query ?? schema?.body)
  const compiled = new Map(routes.map((route) => [route, ACCEPT_ALL]))
  if (checked.length === 0) return compiled
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const { default: addFormats } = await import('ajv-formats')
  const bodies = new Ajv2020(OPTIONS)
  const queries = new Ajv2020({ ...OPTIONS, coerceTypes: 'array' })
  for (const one of [bodies, queries]) addFormats.default(one)
  const faults: string[] = []
  const compile = (route: RegisteredRoute, member: 'query' | 'body'): ValidateFunction | null => {
    const schema = route.schema?.[member]
    if (schema === undefined) return null
    try {
      return (member === 'query' ? queries : bodies).compile(schema)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      const { extension, method, path } = route
      faults.push(
        `extension ${JSON.stringify(extension)}: routes: ${method} ${path}: schema.${member}: ${problem}`,
      )
      return null
    }
  }
  for (const route of checked) {
    compiled.set(route, validatorsOf(compile(route, 'query'), compile(route, 'body')))
  }
  if (faults.length > 0) throw new ExtensionError(faults)
  return compiled
}

const OPTIONS = { allErrors: true, strict: true, allowUnionTypes: true } as const

function validatorsOf(
  query: ValidateFunction | null,
  body: ValidateFunction | null,
): RouteValidators {
  return {
    query: (given) => {
      const copy = structuredClone({ ...given })
      check(query, copy, 'query')
      return copy
    },
    body: (given) => check(body, given ?? null, 'body'),
  }
}

function check(validate: ValidateFunction | null, value: unknown, part: 'query' | 'body'): void {
  if (validate === null || validate(value)) return
  const [first, ...rest] = (validate.errors ?? []).map((error) => faultOf(error, part))
  const code = part === 'query' ? 'invalid_query' : 'invalid_payload'
  throw validationError(
    [first ?? fault([part], 'is not valid', undefined, { code: 'any.only' }), ...rest],
    code,
  )
}

function faultOf(
  { instancePath, keyword, message = 'is not valid', params }: ErrorObject,
  part: string,
): Fault {
  const path = instancePath.split('/').slice(1).map(unescapePointer)
  const missing: unknown = params['missingProperty'] ?? params['additionalProperty']
  const named = typeof missing === 'string' ? [...path, missing] : path
  const label = named.length === 0 ? part : named.join('.')
  const code = CODES.get(keyword) ?? 'any.only'
  return fault(named, `${label}: ${message}`, undefined, { code })
}

const CODES: ReadonlyMap<string, FaultCode> = new Map([
  ['required', 'any.required'],
  ['additionalProperties', 'any.unknown'],
  ['minimum', 'number.min'],
  ['maximum', 'number.max'],
  ['minLength', 'string.min'],
  ['maxLength', 'string.max'],
  ['pattern', 'string.pattern'],
  ['minItems', 'array.min'],
  ['maxItems', 'array.max'],
])

/** RFC 6901, section 4. */
function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
