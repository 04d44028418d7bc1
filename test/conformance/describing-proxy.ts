import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiDescription } from '../../src/describe/openapi/describe-api.ts'
import {
  type Exchange,
  openChecker,
  type UncoveredReason,
} from '../describe/openapi/check-exchange.ts'

/** A proxy that checks each exchange against the OpenAPI description of the server. */
export interface DescribingProxy {
  readonly address: string
  report(): DescriptionReport
  close(): void
}

export interface DescriptionReport {
  /** Number of exchanges that the description covers. */
  readonly checked: number
  readonly outside: Readonly<Partial<Record<UncoveredReason, number>>>
  /** One line each. */
  readonly problems: readonly string[]
}

/** `token` needs all permissions, because the description only contains permitted operations. */
export async function openDescribingProxy(base: string, token: string): Promise<DescribingProxy> {
  const problems: string[] = []
  const outside: Partial<Record<UncoveredReason, number>> = {}
  let checked = 0
  let checker: ReturnType<typeof openChecker> | null = null
  const observe = async (exchange: Exchange): Promise<void> => {
    if (exchange.target.startsWith('/admin/locales')) checker = null
    if (!/^\/api\//i.test(exchange.target)) return
    checker ??= openChecker(await readDescription(base, token))
    const verdict = checker(exchange)
    if (verdict.kind === 'outside') {
      outside[verdict.why] = (outside[verdict.why] ?? 0) + 1
      return
    }
    checked += 1
    const { method, target, status } = exchange
    problems.push(...verdict.problems.map((problem) => `${method} ${target} ${status}: ${problem}`))
  }
  const server = createServer((incoming, outgoing) => {
    forward(base, incoming, outgoing)
      .then(observe)
      .catch((error: unknown) => {
        problems.push(`${incoming.method} ${incoming.url}: ${String(error)}`)
        outgoing.destroy()
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    report: () => ({ checked, outside, problems }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function readDescription(base: string, token: string): Promise<ApiDescription> {
  const answer = await fetch(`${base}/api/openapi.json`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!answer.ok) throw new Error(`/api/openapi.json answers ${answer.status}`)
  return (await answer.json()) as ApiDescription
}

/** Forwards the request unchanged. The response is read completely before it is passed on. */
async function forward(
  base: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Exchange> {
  const { method = 'GET', url: target = '/', rawHeaders, headers } = incoming
  const sent = await readAll(incoming)
  const { hostname, port } = new URL(base)
  const passed = request({ hostname, port, method, path: target, headers: rawHeaders })
  passed.end(sent)
  const [response] = (await once(passed, 'response')) as [IncomingMessage]
  const body = await readAll(response)
  outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
  outgoing.end(body)
  const isJson = headers['content-type']?.startsWith('application/json') === true
  return {
    method,
    target,
    requestHeaders: headers,
    requestBody: isJson ? parsed(sent.toString('utf8')) : undefined,
    status: response.statusCode ?? 502,
    contentType: response.headers['content-type'],
    text: response.headers['content-encoding'] === undefined ? body.toString('utf8') : null,
  }
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
