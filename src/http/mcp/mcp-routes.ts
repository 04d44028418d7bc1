import { isRecord } from '../../base/is-record.ts'
import type { Config } from '../../base/config/config.ts'
import { CmsError, ForbiddenError, type ErrorCode } from '../../base/errors.ts'
import { readVersion } from '../../base/config/version.ts'
import { errorEnvelope } from '../answer/envelope.ts'
import { programsOnly, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'
import { refusal } from '../middleware/handle-errors.ts'
import { bodyOf } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'
import type { McpDependencies } from './arguments.ts'
import {
  CODES,
  HANDSHAKE_VERSIONS,
  isOneOf,
  type RpcMessage,
  readMessage,
  RefusedMessage,
  STATELESS_VERSION,
} from './messages.ts'
import { callTool, isTool, listTools } from './tools.ts'

export interface McpRouteDependencies extends McpDependencies {
  readonly http: Pick<Config['http'], 'publicUrl' | 'corsOrigin'>
  readonly authenticate: Middleware
  readonly readBody: Middleware
}

/** Characters per response, because a response must fit into the context of an agent. */
const MAX_ANSWER = 262_144

const INSTRUCTIONS =
  'A content management system. Begin with `describe`. Writes make drafts unless `publish` is true; `update` needs the revision that `get` gives.'

export function mcpRoutes(dependencies: McpRouteDependencies): GuardedRouter {
  const router = guardedRouter('/mcp', { sensitive: true })
  const { authenticate, readBody, http } = dependencies
  const assertOrigin: Middleware = (ctx, next) => {
    assertOwnOrigin(ctx, http)
    return next()
  }
  const respond = async (ctx: Context): Promise<void> => {
    ctx.set('Cache-Control', 'no-store')
    try {
      const message = readMessage(ctx, bodyOf(ctx))
      if (message.id === null) {
        ctx.body = null
        ctx.status = 202 // set after the body, because Koa changes the status to 204 for an empty body
        return
      }
      const result = await resultOf(ctx, message, dependencies)
      const kind = message.isStateless ? { resultType: 'complete' } : {}
      ctx.body = { jsonrpc: '2.0', id: message.id, result: { ...kind, ...result } }
    } catch (error) {
      if (!(error instanceof RefusedMessage)) throw error
      const { id, code, message, data, status } = error
      ctx.status = status
      ctx.body = { jsonrpc: '2.0', id, error: { code, message, ...(data !== null && { data }) } }
    }
  }
  // The guard runs before the body is read.
  const answer = programsOnly(async (ctx) => void (await readBody(ctx, () => respond(ctx))))
  router.post('/', assertOrigin, authenticate, answer)
  return router
}

/** Also rejects DNS rebinding to another name of this server. @throws ForbiddenError */
function assertOwnOrigin(
  ctx: Context,
  { publicUrl, corsOrigin }: McpRouteDependencies['http'],
): void {
  const origin = ctx.get('Origin')
  const isListed = corsOrigin !== '*' && corsOrigin.includes(origin)
  if (origin === '' || isListed || origin === new URL(publicUrl).origin) return
  const code = 'cross_site' satisfies ErrorCode
  throw new ForbiddenError('Requests of other origins are refused', {}, { code })
}

async function resultOf(
  ctx: Context,
  message: RpcMessage,
  dependencies: McpDependencies,
): Promise<object> {
  const { id, method, isStateless } = message
  if (method === 'tools/call') return call(ctx, message, dependencies)
  const list = (): object => ({ tools: listTools(dependencies.schema, ctx.state.principal) })
  const result = isStateless ? statelessResult(method, list) : handshakeResult(message, list)
  if (result !== null) return result
  throw new RefusedMessage(`There is no method ${method}`, {
    status: isStateless ? 404 : 200,
    code: CODES.unknownMethod,
    id,
  })
}

function statelessResult(method: string, list: () => object): object | null {
  switch (method) {
    case 'tools/list':
      return { ...list(), ...CACHING }
    case 'server/discover':
      return { supportedVersions: VERSIONS, ...SERVER, ...CACHING }
    default:
      return null
  }
}

/** The handshake creates no session. Every request is independent. */
function handshakeResult({ method, params }: RpcMessage, list: () => object): object | null {
  switch (method) {
    case 'tools/list':
      return list()
    case 'initialize': {
      const { protocolVersion: asked } = params
      const isKnown = isOneOf(HANDSHAKE_VERSIONS, asked)
      return { protocolVersion: isKnown ? asked : HANDSHAKE_VERSIONS[0], ...SERVER }
    }
    case 'ping':
      return {}
    default:
      return null
  }
}

const VERSIONS = [STATELESS_VERSION, ...HANDSHAKE_VERSIONS]
const SERVER = {
  capabilities: { tools: {} },
  serverInfo: { name: 'quire', title: 'Quire', version: readVersion() },
  instructions: INSTRUCTIONS,
}
const CACHING = { ttlMs: 60_000, cacheScope: 'private' }

/** Runs a tool. Errors of a tool are results, so that the agent can read and correct them. @throws RefusedMessage */
async function call(
  ctx: Context,
  { id, params }: RpcMessage,
  dependencies: McpDependencies,
): Promise<object> {
  const { name, arguments: args = {} } = params
  if (!isTool(name) || !isRecord(args)) {
    const what = isTool(name) ? 'arguments must be an object' : 'There is no such tool'
    throw new RefusedMessage(what, { status: 200, code: CODES.invalidParams, id })
  }
  try {
    const found = await callTool(ctx, { name, args }, dependencies)
    const text = await toJson(found, ctx.state.answer)
    return text.length > MAX_ANSWER ? tooLong() : contentOf(text, false)
  } catch (error) {
    if (!(error instanceof CmsError) || error.status >= 500) throw error
    const known = error instanceof ForbiddenError ? refusal(error, ctx) : error
    return contentOf(JSON.stringify(errorEnvelope(known)), true)
  }
}

function tooLong(): object {
  const text = `The answer is longer than ${MAX_ANSWER} characters: ask for fewer entries or fields`
  return contentOf(text, true)
}

function contentOf(text: string, isError: boolean): object {
  return { content: [{ type: 'text', text }], isError }
}
