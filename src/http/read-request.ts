import coBody from 'co-body'
import qs from 'qs'
import { ValidationError } from '../errors.ts'
import type { Data } from '../schema/definition.ts'
import { assertShallow } from '../schema/values/json-levels.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Context, Middleware } from './state.ts'

/** Beyond these a query string is refused; qs 6.17 by default drops what is beyond its own in silence. */
const PARSING = {
  depth: 25,
  strictDepth: true,
  parameterLimit: 1_000,
  arrayLimit: 1_000,
  throwOnLimitExceeded: true,
} as const

/**
 * Parses a query string into nested objects. Names that every object inherits (`constructor`) are left
 * out, as the dialect has it.
 * @throws ValidationError beyond a limit.
 */
export function readQuery(querystring: string): Data {
  if (querystring === '') return {}
  try {
    return qs.parse(querystring, PARSING)
  } catch (error) {
    if (error instanceof RangeError)
      throw new ValidationError(error.message, {}, { code: 'invalid_query' })
    throw error
  }
}

const JSON_TYPES = ['application/json', 'application/vnd.api+json']
const FORM_TYPE = 'application/x-www-form-urlencoded'
const READ_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT'])

/**
 * Reads JSON and form bodies into `ctx.request.body`. Anything else is no body.
 * Malformed JSON is a 400, more than `maxBodyBytes` a 413: see `handleErrors`. Without a `budget` bodies are so small that
 * as many as there are connections are no matter.
 */
export function readBody(maxBodyBytes: number, budget: BodyBudget | null = null): Middleware {
  const limits = { limit: maxBodyBytes, queryString: PARSING, returnRawBody: true }
  return async (ctx, next) => {
    if (READ_METHODS.has(ctx.method)) {
      const read = readerFor(ctx)
      if (read !== null) {
        const release = budget?.count(ctx.req, maxBodyBytes)
        const { parsed, raw } = await (read(ctx, limits) as Promise<ReadBody>).finally(release)
        if (read === coBody.json) assertShallow(raw)
        Object.assign(ctx.request, { body: parsed })
      }
    }
    await next()
  }
}

interface ReadBody {
  readonly parsed: unknown
  readonly raw: string
}

function readerFor(ctx: Context): typeof coBody.json | null {
  switch (ctx.is(...JSON_TYPES, FORM_TYPE)) {
    case null: // no body
    case false:
      return null
    case FORM_TYPE:
      return coBody.form
    default:
      return coBody.json
  }
}

/** What the body middleware has read; undefined where there was none. */
export function bodyOf({ request }: { readonly request: object }): unknown {
  return 'body' in request ? request.body : undefined
}

/** The `data` of a body. @throws ValidationError when there is none. */
export function dataOf(ctx: Context): unknown {
  const body = bodyOf(ctx)
  const data = body !== null && typeof body === 'object' && 'data' in body ? body.data : null
  if (data === null || typeof data !== 'object') {
    throw new ValidationError(
      'Missing "data" payload in the request body',
      {},
      { code: 'data_missing' },
    )
  }
  return data
}

/**
 * Lets through a request whose body says nothing: there is none, or `{}`.
 * @throws ValidationError that names what is there.
 */
export function assertNoPayload(ctx: Context): void {
  const body = bodyOf(ctx)
  if (body === undefined ? isEmpty(ctx) : isObject(body) && Object.keys(body).length === 0) return
  const [key = 'body'] = isObject(body) ? Object.keys(body) : []
  throw new ValidationError(
    `Invalid key ${key}`,
    { key, path: key, source: 'body' },
    { code: 'invalid_key' },
  )
}

function isObject(body: unknown): body is object {
  return body !== null && typeof body === 'object' && !Array.isArray(body)
}

/** A body of a type that is not read. */
function isEmpty({ request }: Context): boolean {
  return request.get('transfer-encoding') === '' && Number(request.get('content-length')) === 0
}

/** What a path has in place of a parameter of its route, which may be any text. */
export function parameterOf(ctx: Context, name: string): string {
  const value = (ctx['params'] as Readonly<Record<string, string | undefined>>)[name]
  if (value === undefined) throw new Error(`The route has no parameter ${name}`)
  return value
}
