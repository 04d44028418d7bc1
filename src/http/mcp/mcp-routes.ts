import type { Config } from '../../base/config/config.ts'
import type { ErrorCode } from '../../base/error-codes.ts'
import { ForbiddenError } from '../../base/errors.ts'
import { isRefusal } from '../../base/is-refusal.ts'
import { errorEnvelope } from '../answer/envelope.ts'
import { programsOnly, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'
import { refusal } from '../middleware/handle-errors.ts'
import type { Context, Middleware } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'
import type { McpDependencies } from './arguments.ts'
import type { ToolRequest, ToolResult } from './answer-message.ts'
import { callTool, isTool, listTools } from './tools.ts'

export interface McpRouteDependencies extends McpDependencies {
  readonly http: Pick<Config['http'], 'publicUrl' | 'corsOrigin'>
  readonly authenticate: Middleware
  readonly readBody: Middleware
}

/** Characters per response, because a response must fit into the context of an agent. */
const MAX_ANSWER = 262_144

export function mcpRoutes(dependencies: McpRouteDependencies): GuardedRouter {
  const router = guardedRouter('/mcp', { sensitive: true })
  const { authenticate, readBody, http } = dependencies
  const assertOrigin: Middleware = (ctx, next) => {
    assertOwnOrigin(ctx, http)
    return next()
  }
  const respond = async (ctx: Context): Promise<void> => {
    ctx.set('Cache-Control', 'no-store')
    const { answerMessage } = await import('./answer-message.ts')
    const response = await answerMessage(ctx, {
      listTools: () => listTools(dependencies.schema, ctx.state.principal),
      callTool: (request) => call(ctx, request, dependencies),
    })
    const text = await response.text()
    ctx.body = text === '' ? null : text
    ctx.status = response.status // set after the body, because Koa changes the status to 204 for an empty body
    ctx.type = 'application/json'
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

async function call(
  ctx: Context,
  { name, args }: ToolRequest,
  dependencies: McpDependencies,
): Promise<ToolResult | null> {
  if (!isTool(name)) return null
  try {
    const found = await callTool(ctx, { name, args }, dependencies)
    const text = await toJson(found, ctx.state.answer)
    return text.length > MAX_ANSWER ? tooLong() : contentOf(text, false)
  } catch (error) {
    if (!isRefusal(error)) throw error
    const known = error instanceof ForbiddenError ? refusal(error, ctx) : error
    return contentOf(JSON.stringify(errorEnvelope(known)), true)
  }
}

function tooLong(): ToolResult {
  const text = `The answer is longer than ${MAX_ANSWER} characters: ask for fewer entries or fields`
  return contentOf(text, true)
}

function contentOf(text: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text }], isError }
}
