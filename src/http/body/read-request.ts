import { isUtf8 } from 'node:buffer'
import { parse as parseJson } from '@hapi/bourne'
import qs from 'qs'
import { MalformedBodyError, shownName, ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { assertShallow } from '../../schema/values/json-levels.ts'
import type { BodyBudget } from './body-budget.ts'
import { notUtf8, readBodyText } from './body-text.ts'
import type { Context, Middleware } from '../router/state.ts'
import { isRecord } from '../../base/is-record.ts'

/** Limits of a query string. By default qs 6.17 silently drops parameters beyond its limits. */
const PARSING = {
  depth: 25,
  strictDepth: true,
  parameterLimit: 1_000,
  arrayLimit: 1_000,
  throwOnLimitExceeded: true,
} as const

/**
 * Omits names of inherited properties, such as `constructor`, as in the reference.
 * @throws ValidationError beyond a limit
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

const JSON_TYPES = ['application/json', 'application/vnd.api+json'] as const
const FORM_TYPE = 'application/x-www-form-urlencoded'
const READ_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT'])

const SLOW_BODY_MS = 1_000

/**
 * Other content types than JSON and forms are ignored. A malformed body is a 400, a body over
 * `maxBodyBytes` a 413. Omit `budget` only if the sum over all connections is negligible.
 */
export function readBody(
  maxBodyBytes: number,
  budget: BodyBudget | null = null,
  clock = (): number => performance.now(),
): Middleware {
  return async (ctx, next) => {
    if (READ_METHODS.has(ctx.method)) {
      const parse = parserFor(ctx)
      if (parse !== null) {
        const release = budget?.count(ctx.req, maxBodyBytes)
        const begun = clock()
        const text = await readBodyText(ctx.req, maxBodyBytes).finally(release)
        if (clock() - begun > SLOW_BODY_MS) await ctx.state.authorizeAgain?.()
        Object.assign(ctx.request, { body: parse(text) })
      }
    }
    await next()
  }
}

function parserFor(ctx: Context): ((text: string) => unknown) | null {
  switch (ctx.is(...JSON_TYPES, FORM_TYPE)) {
    case null:
    case false:
      return null
    case FORM_TYPE:
      return parseForm
    default:
      return parseObject
  }
}

function parseObject(text: string): unknown {
  if (text === '') return {}
  if (!/^[\x20\t\n\r]*[[{]/.test(text)) {
    throw new MalformedBodyError('invalid JSON, only supports object and array', null)
  }
  const parsed: unknown = orMalformed((): unknown => parseJson(text))
  assertShallow(text)
  return parsed
}

function parseForm(text: string): unknown {
  if (!isUtf8(percentDecoded(text))) throw notUtf8()
  return orMalformed(() => qs.parse(text, { ...PARSING, allowDots: true }))
}

const PERCENT = 0x25

/** qs leaves bytes that are not UTF-8 encoded. Decodes megabytes of escapes in place. */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const high = bytes[at] === PERCENT ? hexOf(bytes[at + 1]) : -1
    const low = high === -1 ? -1 : hexOf(bytes[at + 2])
    const isEscape = low !== -1
    bytes[length] = isEscape ? high * 16 + low : (bytes[at] ?? 0)
    if (isEscape) at += 2
    length += 1
  }
  return bytes.subarray(0, length)
}

function hexOf(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = (code | 0x20) - 0x61
  return letter >= 0 && letter <= 5 ? letter + 10 : -1
}

function orMalformed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      throw new MalformedBodyError(error.message, null)
    }
    throw error
  }
}

export function bodyOf({ request }: { readonly request: object }): unknown {
  return 'body' in request ? request.body : undefined
}

/** Undefined without a body. @throws ValidationError for an unsupported content type */
export function payloadOf(ctx: Context): unknown {
  const problem = typeProblem(ctx)
  if (problem === null) return bodyOf(ctx)
  throw new ValidationError(
    `The request body was not read: ${problem}`,
    {},
    { code: 'invalid_payload' },
  )
}

/** The `data` of a body. @throws ValidationError if it is missing */
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

/** Accepts the body `{}`. @throws ValidationError that names the first key of another body */
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
