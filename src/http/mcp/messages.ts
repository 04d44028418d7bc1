import { isRecord } from '../../base/is-record.ts'
import type { Context } from '../router/state.ts'

export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export const STATELESS_VERSION = '2026-07-28'

/** The default version without the header (2025-06-18, basic/transports). */
const WITHOUT_HEADER = '2025-03-26'

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Codes of JSON-RPC, and of https://modelcontextprotocol.io/specification/2026-07-28/basic */
export const CODES = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

type Params = Readonly<Record<string, unknown>>

export interface RpcMessage {
  readonly id: string | number | null
  readonly method: string
  readonly params: Params
  readonly isStateless: boolean
}

export class RefusedMessage extends Error {
  readonly status: number
  readonly code: number
  readonly id: string | number | null
  readonly data: object | null

  constructor(
    message: string,
    { status = 400, code, id = null, data = null }: RefusedMessageOptions,
  ) {
    super(message)
    this.name = 'RefusedMessage'
    this.status = status
    this.code = code
    this.id = id
    this.data = data
  }
}

interface RefusedMessageOptions {
  readonly status?: number
  readonly code: number
  readonly id?: string | number | null
  readonly data?: object | null
}

/** Parses the message and checks that the headers match it. @throws RefusedMessage */
export function readMessage(ctx: Context, body: unknown): RpcMessage {
  const { jsonrpc, id = null, method, params = {} } = isRecord(body) ? body : {}
  const isId = id === null || typeof id === 'string' || Number.isSafeInteger(id)
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId || !isRecord(params)) {
    throw new RefusedMessage('Expected one message of JSON-RPC 2.0', { code: CODES.invalidRequest })
  }
  const message = { id: id as RpcMessage['id'], method, params }
  return { ...message, isStateless: readVersion(ctx, message) === STATELESS_VERSION }
}

function readVersion(ctx: Context, message: Omit<RpcMessage, 'isStateless'>): string {
  const header = ctx.get('MCP-Protocol-Version')
  const { _meta: meta } = message.params
  const inBody = isRecord(meta) ? meta[VERSION_KEY] : undefined
  if (inBody === undefined && header !== STATELESS_VERSION) {
    const version = header === '' ? WITHOUT_HEADER : header
    if (isOneOf(HANDSHAKE_VERSIONS, version)) return version
    throw unsupported(version, message.id)
  }
  if (inBody !== header) {
    const problem = 'MCP-Protocol-Version and the version in _meta differ'
    throw new RefusedMessage(problem, { code: CODES.headerMismatch, id: message.id })
  }
  if (inBody !== STATELESS_VERSION) throw unsupported(header, message.id)
  assertMirrored(ctx, message)
  return STATELESS_VERSION
}

/** Intermediaries may route by headers, so the headers must match the body. @throws RefusedMessage */
function assertMirrored(
  ctx: Context,
  { id, method, params }: Omit<RpcMessage, 'isStateless'>,
): void {
  const expected = [
    ['Mcp-Method', method],
    ...(method === 'tools/call' ? ([['Mcp-Name', params['name']]] as const) : []),
  ] as const
  for (const [name, value] of expected) {
    if (decoded(ctx.get(name)) === value) continue
    throw new RefusedMessage(`${name} differs from the body`, {
      code: CODES.headerMismatch,
      id,
    })
  }
}

/** Values that are invalid in a header are sent as `=?base64?…?=`. */
function decoded(value: string): string {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

function unsupported(requested: string, id: RpcMessage['id']): RefusedMessage {
  return new RefusedMessage('Unsupported protocol version', {
    code: CODES.unsupportedVersion,
    id,
    data: { supported: [STATELESS_VERSION, ...HANDSHAKE_VERSIONS], requested },
  })
}

export function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return (list as readonly unknown[]).includes(value)
}
