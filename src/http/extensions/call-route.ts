import { Readable } from 'node:stream'
import { CmsError, ExtensionFailedError, ServiceUnavailableError } from '../../base/errors.ts'
import { guardContent } from '../../content/hooks/run-hooks.ts'
import type { RegisteredRoute } from '../../extensions/collect-routes.ts'
import type { ExtensionHost } from '../../extensions/extension-host.ts'
import type { ExtensionPrincipal } from '../../extensions/content-service.ts'
import type { ExtensionRequest } from '../../extensions/extension-route.ts'
import { authorOf } from '../../people/access/writing-for.ts'
import { callerOf, hasLeft } from '../answer/hang-ups.ts'
import { bodyOf, readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import type { RouteValidators } from './route-validators.ts'

export interface RouteCall {
  readonly host: ExtensionHost
  readonly validators: RouteValidators
  readonly maxBytes: number
}

const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

export async function callRoute(
  ctx: Context,
  route: RegisteredRoute,
  { host, validators, maxBytes }: RouteCall,
): Promise<void> {
  const query = validators.query(readQuery(ctx.querystring))
  validators.body(bodyOf(ctx))
  const aborter = new AbortController()
  const unsubscribe = callerOf(ctx.res).onLeave(() => aborter.abort(new Error('The client left')))
  const { extension, method, path } = route
  const report = (error: unknown): void => {
    const call = `${method} ${path}`
    host.report({ extension, call, requestId: ctx.state.requestId, error })
  }
  const { request, response } = requestOf(ctx, route, { host, query, signal: aborter.signal })
  try {
    await inTime(() => route.handler(request), aborter, host.routeTimeoutMs)
    send(ctx, response, maxBytes)
    if (response.body instanceof Readable) {
      response.body.once('error', (error) => {
        report(error)
        ctx.res.destroy() // the client must not take a part for the whole
      })
    }
  } catch (error) {
    discard(response.body)
    if (hasLeft(ctx.res)) throw error
    if (error instanceof CmsError && !(error instanceof LateError)) throw error
    report(error)
    throw error instanceof CmsError ? error : new ExtensionFailedError(error)
  } finally {
    unsubscribe()
  }
}

interface RouteResponse {
  status: number | null
  body: ExtensionRequest['body']
  readonly headers: Map<string, string>
}

interface RequestParts {
  readonly host: ExtensionHost
  readonly query: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

function requestOf(ctx: Context, { extension }: RegisteredRoute, parts: RequestParts) {
  const { host, query, signal } = parts
  const response: RouteResponse = { status: null, body: undefined, headers: new Map() }
  const { kind, id, name } = authorOf(ctx.state.principal)
  const principal = { kind: kind as ExtensionPrincipal['kind'], id, name } // the kinds of principals
  const request: ExtensionRequest = {
    method: ctx.method,
    path: ctx.path,
    params: { ...(ctx['params'] as Readonly<Record<string, string>>) }, // set by the router
    query,
    headers: ctx.headers,
    principal,
    get content() {
      return guardContent(host.content({ extension, depth: 1 }), { signal, dryRun: false })
    },
    signal,
    requestBody: bodyOf(ctx),
    get status() {
      return response.status ?? (isEmpty(response.body) ? 204 : 200)
    },
    set status(given) {
      response.status = given
    },
    get body() {
      return response.body
    },
    set body(given) {
      if (given !== response.body) discard(response.body)
      response.body = given
    },
    set: (header, value) => {
      if (OWN_HEADERS.has(header.toLowerCase())) {
        throw new TypeError(`the header ${header} is set by the server`)
      }
      response.headers.set(header, value)
    },
  }
  return { request, response }
}

class LateError extends ServiceUnavailableError {
  override readonly name = 'ServiceUnavailableError'
}

async function inTime(
  work: () => void | Promise<void>,
  aborter: AbortController,
  timeoutMs: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new LateError('An extension did not finish in time')
      aborter.abort(error)
      reject(error)
    }, timeoutMs)
    aborter.signal.addEventListener('abort', () => reject(aborter.signal.reason as Error)) // an Error, see above
  })
  late.catch(() => undefined) // after the end of the handler nobody waits for it
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** @throws TypeError for a status, a header or a body that cannot be sent */
function send(ctx: Context, response: RouteResponse, maxBytes: number): void {
  const { status, body, headers } = response
  if (status !== null && !(Number.isInteger(status) && status >= 200 && status <= 599)) {
    throw new TypeError(`the status ${String(status)} is not a number from 200 to 599`)
  }
  const sent = sendable(body, maxBytes)
  for (const [name, value] of headers) ctx.set(name, value)
  if (isEmpty(body)) {
    ctx.body = null
    ctx.status = status ?? 204
    return
  }
  // Koa would guess HTML from the text.
  if (ctx.response.type === '') ctx.type = typeOf(body)
  ctx.body = sent
  ctx.status = status ?? 200
}

function sendable(body: ExtensionRequest['body'], maxBytes: number): string | Buffer | Readable {
  if (isEmpty(body)) return ''
  if (body instanceof Readable) return body
  const held = heldBody(body)
  const length = typeof held === 'string' ? Buffer.byteLength(held) : held.length
  if (length > maxBytes) {
    throw new TypeError(`the body has ${length} bytes, more than API_MAX_BYTES; send a stream`)
  }
  return held
}

function heldBody(body: object | string | Uint8Array): string | Buffer {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (typeof body !== 'object') throw new TypeError(`a body cannot be a ${typeof body}`)
  return JSON.stringify(body)
}

function typeOf(body: ExtensionRequest['body']): string {
  if (typeof body === 'string') return 'text/plain'
  return body instanceof Readable || body instanceof Uint8Array
    ? 'application/octet-stream'
    : 'application/json'
}

function isEmpty(body: ExtensionRequest['body']): body is null | undefined {
  return body === undefined || body === null
}

function discard(body: unknown): void {
  if (body instanceof Readable) body.on('error', () => undefined).destroy()
}
