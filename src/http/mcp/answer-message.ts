import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { readVersion } from '../../base/config/version.ts'
import type { Data } from '../../schema/definition.ts'
import { bodyOf } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import type { DescribedTool } from './tools.ts'

export interface ToolRequest {
  readonly name: string
  readonly args: Data
}

export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError: boolean
}

export interface ToolBox {
  readonly listTools: () => readonly DescribedTool[]
  readonly callTool: (request: ToolRequest) => Promise<ToolResult | null>
}

const SERVER_INFO = { name: 'quire', title: 'Quire', version: readVersion() }
const INSTRUCTIONS =
  'A content management system. Begin with `describe`. Writes make drafts unless `publish` is true; `update` needs the revision that `get` gives.'

/** The list of tools depends on the permissions of the principal. */
const CACHING = { ttlMs: 60_000, cacheScope: 'private' } as const

/** Stateless, without a stream. @throws errors that are not tool results, so that their messages are not sent */
export async function answerMessage(ctx: Context, tools: ToolBox): Promise<Response> {
  const failures: unknown[] = []
  const openServer = (): Server =>
    serverOf(tools, (error) => {
      failures.push(error)
    })
  const request = requestOf(ctx)
  const body = bodyOf(ctx)
  const response = (await isHandshake(ctx, request, body))
    ? await answerHandshake(openServer(), request, body)
    : await createMcpHandler(openServer, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, {
        parsedBody: body,
      })
  if (failures.length > 0) throw failures[0]
  return response
}

/** Messages of the versions before 2026-07-28. Batches and unknown versions are left to the strict handler. */
async function isHandshake(ctx: Context, request: Request, body: unknown): Promise<boolean> {
  const version = ctx.get('MCP-Protocol-Version')
  const isKnown = version === '' || SUPPORTED_PROTOCOL_VERSIONS.includes(version)
  return isKnown && !Array.isArray(body) && (await isLegacyRequest(request, body))
}

async function answerHandshake(
  server: Server,
  request: Request,
  parsedBody: unknown,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody })
  } finally {
    await server.close()
  }
}

function requestOf(ctx: Context): Request {
  const headers = new Headers({
    'content-type': ctx.get('content-type'),
    accept: 'application/json, text/event-stream',
  })
  for (const [name, value] of Object.entries(ctx.headers)) {
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value)
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers })
}

function serverOf(tools: ToolBox, onFailure: (error: unknown) => void): Server {
  const capabilities = { tools: {} }
  const server = new Server(SERVER_INFO, { capabilities, instructions: INSTRUCTIONS })
  server.setRequestHandler('tools/list', () => ({
    tools: tools.listTools().map((tool) => tool as Tool), // `objectOf` makes the schemas
    ...CACHING,
  }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    const result = await tools.callTool({ name, args }).catch((error: unknown) => {
      onFailure(error)
      throw error
    })
    if (result !== null) return { ...result }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool')
  })
  return server
}
