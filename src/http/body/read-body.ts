import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { once } from '../../base/once.ts'
import { MalformedBodyError } from '../../base/errors.ts'
import { assertShallow } from '../../schema/values/json-levels.ts'
import type { Context, Middleware } from '../router/state.ts'
import type { BodyBudget } from './body-budget.ts'
import { FORM_TYPE, JSON_TYPES, METHODS_WITH_BODY, PARSING } from './read-request.ts'
import { unpackBody } from './unpack-body.ts'

const SLOW_BODY_MS = 1_000

/** The credential of a request may expire while its body arrives. */
export function isSlowBody(ms: number): boolean {
  return ms > SLOW_BODY_MS
}

/** Omit `budget` only if the sum of the bodies over all connections is negligible. */
export function readBody(
  maxBodyBytes: number,
  budget: BodyBudget | null = null,
  clock = (): number => performance.now(),
): Middleware {
  // With its dependencies it has 120 modules, which would delay the start.
  const openParser = once(async () => {
    const { HttpMethodEnum, koaBody } = await import('koa-body')
    return koaBody({
      jsonTypes: [...JSON_TYPES],
      jsonLimit: maxBodyBytes,
      urlencodedTypes: [FORM_TYPE],
      formLimit: maxBodyBytes,
      queryString: { ...PARSING, allowDots: true },
      text: false,
      includeUnparsed: true,
      parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH],
    })
  })
  return async (ctx, next) => {
    const type = METHODS_WITH_BODY.has(ctx.method) && ctx.is(...JSON_TYPES, FORM_TYPE)
    if (typeof type === 'string') {
      const parse = await openParser() // before `count`, which starts the flow of the body
      const release = budget?.count(ctx.req, maxBodyBytes)
      const begun = clock()
      const assertWellFormed = await parseBody(ctx, parse, type === FORM_TYPE).finally(release)
      if (isSlowBody(clock() - begun)) await ctx.state.authorizeAgain?.()
      assertWellFormed()
    }
    await next()
  }
}

/** Returns its check, so that the credential of a slow request is resolved before a malformed body is reported. */
async function parseBody(ctx: Context, parse: Middleware, isForm: boolean): Promise<() => void> {
  const stream = unpackBody(ctx.req)
  const isValid = watchUtf8(stream)
  try {
    await parse(stream === ctx.req ? ctx : withStream(ctx, stream), settled)
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    const { message } = isValid() ? error : notUtf8()
    return () => {
      throw new MalformedBodyError(message, null)
    }
  }
  const { rawBody = '' } = ctx.request
  delete ctx.request.rawBody // as large as the body, and needed here only
  return () => {
    if (!isValid() || (isForm && !isUtf8(percentDecoded(rawBody)))) throw notUtf8()
    if (!isForm) assertShallow(rawBody)
  }
}

function notUtf8(): MalformedBodyError {
  return new MalformedBodyError('The body is not UTF-8', null)
}

const settled = (): Promise<void> => Promise.resolve()

function withStream(ctx: Context, stream: Readable): Context {
  return Object.create(ctx, { req: { value: Object.assign(stream, { headers: {} }) } }) as Context
}

/** koa-body inserts replacement characters, so that two different passwords could become equal. */
function watchUtf8(stream: Readable): () => boolean {
  let decoder: TextDecoder | null = null
  let isValid = true
  const decode = (chunk?: Buffer): void => {
    try {
      decoder?.decode(chunk, { stream: chunk !== undefined })
    } catch {
      isValid = false
    }
  }
  stream.on('data', (chunk: Buffer) => {
    if (!isValid || (decoder === null && isUtf8(chunk))) return
    decoder ??= new TextDecoder('utf-8', { fatal: true }) // a character may continue in the next chunk
    decode(chunk)
  })
  return () => {
    decode()
    return isValid
  }
}

const PERCENT = 0x25

/** qs leaves bytes that are not UTF-8 encoded. Decodes in place: a client may send megabytes of escapes. */
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
