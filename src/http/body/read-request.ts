import qs from 'qs'
import { shownName, ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import type { Context } from '../router/state.ts'
import { isRecord } from '../../base/is-record.ts'

/** Limits of query strings and forms. By default qs 6.17 silently drops parameters beyond its limits. */
export const PARSING = {
  depth: 25,
  strictDepth: true,
  parameterLimit: 1_000,
  arrayLimit: 1_000,
  throwOnLimitExceeded: true,
} as const

/**
 * Omits names of inherited properties, such as `constructor`, as in the reference. Refuses them in operands that the
 * reference does not have. @throws ValidationError
 */
export function readQuery(querystring: string): Data {
  return parseDecoded(querystring, OWN_OPERAND)
}

/** For routes with a closed list of parameters: also refuses inherited names of parameters. @throws ValidationError */
export function readClosedQuery(querystring: string): Data {
  return parseDecoded(querystring, OWN_OPERAND_OR_PARAMETER)
}

const OWN_OPERAND = /\[\$(?:near|within)\]|^search(?=\[)/
const OWN_OPERAND_OR_PARAMETER = new RegExp(`${OWN_OPERAND.source}|^`)
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

function parseDecoded(querystring: string, refusing: RegExp): Data {
  if (querystring === '') return {}
  try {
    return qs.parse(querystring, {
      ...PARSING,
      decoder: (text, decode, charset, type) => {
        const decoded = decode(text, decode, charset)
        if (type === 'key') refuseInherited(decoded, refusing)
        return decoded
      },
    })
  } catch (error) {
    if (error instanceof RangeError)
      throw new ValidationError(error.message, {}, { code: 'invalid_query' })
    throw error
  }
}

/** qs drops such names without an error. */
function refuseInherited(key: string, refusing: RegExp): void {
  const found = refusing.exec(key)
  if (found === null) return
  const operand = key.slice(0, found.index + found[0].length)
  const rest = key.slice(operand.length)
  const names = operand === '' ? [/^[^[]*/.exec(rest)?.[0] ?? ''] : rest.split(/[[\]]/)
  const name = names.find((one) => INHERITED.has(one))
  if (name === undefined) return
  const path = operand === '' ? name : `${operand}${rest.slice(0, rest.indexOf(name))}${name}]`
  throw new ValidationError(
    `${path}: is not known`,
    { key: name, path, source: 'query' },
    { code: 'invalid_key' },
  )
}

/** Bodies of other methods are not read. */
export const METHODS_WITH_BODY: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH'])

export const JSON_TYPES = ['application/json', 'application/vnd.api+json'] as const
export const FORM_TYPE = 'application/x-www-form-urlencoded'

export function bodyOf({ request }: { readonly request: object }): unknown {
  return 'body' in request ? request.body : undefined
}

export function payloadOf(ctx: Context): unknown {
  const problem = typeProblem(ctx)
  if (problem === null) return bodyOf(ctx)
  throw new ValidationError(
    `The request body was not read: ${problem}`,
    {},
    { code: 'invalid_payload' },
  )
}

export function dataOf(ctx: Context): unknown {
  const body = bodyOf(ctx)
  const data = body !== null && typeof body === 'object' && 'data' in body ? body.data : null
  if (data === null || typeof data !== 'object') {
    const problem = typeProblem(ctx)
    throw new ValidationError(
      `Missing "data" payload in the request body${problem === null ? '' : `: ${problem}`}`,
      {},
      { code: 'data_missing' },
    )
  }
  return data
}

/** Includes JSON that was sent as a form, because curl sends forms by default. */
function typeProblem(ctx: Context): string | null {
  const body = bodyOf(ctx)
  if (body === undefined ? isEmpty(ctx) : !isJsonAsForm(ctx, body)) return null
  const type = ctx.get('content-type')
  const found = type === '' ? 'Content-Type is missing' : `Content-Type is ${shownName(type)}`
  return `${found}; expected ${JSON_TYPES[0]}`
}

function isJsonAsForm(ctx: Context, body: unknown): boolean {
  if (ctx.is(FORM_TYPE) !== FORM_TYPE || !isRecord(body)) return false
  const [key = ''] = Object.keys(body)
  return /^\s*\{/.test(key)
}

export function assertNoPayload(ctx: Context): void {
  const body = bodyOf(ctx)
  if (body === undefined ? isEmpty(ctx) : isRecord(body) && Object.keys(body).length === 0) return
  const [key = 'body'] = isRecord(body) ? Object.keys(body) : []
  const problem = typeProblem(ctx)
  throw new ValidationError(
    problem === null ? `Invalid key ${shownName(key)}` : `Invalid body: ${problem}`,
    { key, path: key, source: 'body' },
    { code: 'invalid_key' },
  )
}

function isEmpty({ request }: Context): boolean {
  return request.get('transfer-encoding') === '' && Number(request.get('content-length')) === 0
}

export function parameterOf(ctx: Context, name: string): string {
  const value = (ctx['params'] as Readonly<Record<string, string | undefined>>)[name]
  if (value === undefined) throw new Error(`The route has no parameter ${name}`)
  return value
}
