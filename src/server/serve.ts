import { createServer } from 'node:http'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createHolder } from 'node:net'
import type { AddressInfo, Server as Holder, Socket } from 'node:net'
import { localAddress } from '../base/config/config.ts'
import type { Config } from '../base/config/config.ts'
import type { ConnectionLimits } from '../base/config/sections.ts'
import { ConfigError } from '../base/errors.ts'

export interface ServedApp {
  /** Null without a documentation page. */
  readonly docsPath?: string | null
  callback(): RequestListener
  /** Called when the server stops, before it waits for running requests. */
  leave?(): void
  close(): Promise<void>
  /** Null if an administrator exists. */
  firstStartLink?(): Promise<string | null>
}

export interface RunningServer {
  readonly port: number
  readonly address: string
  readonly openRequests: () => number
  /** Accepts no further connections, finishes running requests, and drops those that take longer than 10 seconds. */
  readonly stop: () => Promise<void>
}

const FINISH_MS = 10_000

/** Most clients wait for each response. */
const MAX_PIPELINED = 64

const CANNOT_LISTEN: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `PORT: ${port} on ${host} is in use, another server runs there; 0 takes any free port`,
  EACCES: (host, port) =>
    `PORT: ${port} on ${host} may not be used by this user; try one above 1023`,
  EADDRNOTAVAIL: (host) => `HOST: ${host} is not an address of this machine`,
  ENOTFOUND: (host) => `HOST: ${host} is not an address of this machine`,
}

export async function serve(
  app: Pick<ServedApp, 'callback' | 'leave'>,
  { http }: { readonly http: Pick<Config['http'], 'host' | 'port' | 'connections'> },
  finishMs = FINISH_MS,
): Promise<RunningServer> {
  const { server, beginStop, openRequests } = createStoppable(app.callback(), http.connections)
  await listen(server, http.host, http.port)
  const { port } = server.address() as AddressInfo
  return {
    port,
    address: localAddress(http.host, port),
    openRequests,
    stop: () => {
      beginStop()
      app.leave?.()
      return stop(server, finishMs)
    },
  }
}

/** Other processes cannot use it until `release`. */
export interface HeldPort {
  readonly port: number
  readonly release: () => Promise<void>
}

/** The links of the application contain the port. @throws ConfigError */
export async function holdFreePort(host: string): Promise<HeldPort> {
  const holder = createHolder((socket) => socket.destroy())
  await listen(holder, host, 0)
  const { port } = holder.address() as AddressInfo
  return {
    port,
    release: () => new Promise((resolve) => holder.close(() => resolve())),
  }
}

interface Stoppable {
  readonly server: Server
  readonly beginStop: () => void
  readonly openRequests: () => number
}

/** One response has listeners of this file, the log, the counter of unsent bytes, Koa and piped files. */
const MAX_LISTENERS = 20

// While the server stops, each response closes its connection. Keep-alive would delay the stop.
function createStoppable(listener: RequestListener, limits: ConnectionLimits): Stoppable {
  let stopping = false
  let open = 0
  const server = createLimited(limits, (request, response) => {
    open += 1
    if (stopping) response.setHeader('connection', 'close')
    response.setMaxListeners(MAX_LISTENERS)
    response.once('close', () => {
      open -= 1
      if (stopping) server.closeIdleConnections()
    })
    listener(request, response)
  })
  const beginStop = (): void => {
    stopping = true
  }
  return { server, beginStop, openRequests: () => open }
}

/** Node checks the limits periodically. */
function createLimited(limits: ConnectionLimits, listener: RequestListener): Server {
  const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = limits
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(5000, headersTimeoutMs),
      maxHeaderSize: limits.maxHeaderBytes,
    },
    limitPipelined(listener),
  )
  server.maxConnections = limits.maxConnections
  server.setTimeout(limits.silenceTimeoutMs)
  return server
}

/** Node 22 pauses a client that does not read only after another read, which can contain nearly 2,000 requests. */
function limitPipelined(listener: RequestListener): RequestListener {
  const openResponses = new WeakMap<Socket, Set<ServerResponse>>()
  const responsesOf = (socket: Socket): Set<ServerResponse> => {
    const known = openResponses.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    openResponses.set(socket, responses)
    socket.once('close', () => setImmediate(closeAll, responses))
    return responses
  }
  return (request, response) => {
    const { socket } = request
    const responses = responsesOf(socket)
    if (responses.size >= MAX_PIPELINED) socket.destroy()
    if (socket.destroyed) return
    responses.add(response)
    response.once('close', () => responses.delete(response))
    listener(request, response)
  }
}

/** Node 20 assigns closed sockets to pipelined responses and never emits `close` for them. Node 24 does. */
function closeAll(responses: ReadonlySet<ServerResponse>): void {
  for (const response of responses) {
    response.destroy()
    response.emit('close')
  }
}

async function listen(server: Server | Holder, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(explain(error, host, port))
    })
    server.listen(port, host, resolve)
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why = CANNOT_LISTEN[error.code ?? '']
  return why === undefined ? error : new ConfigError([why(host, port)])
}

async function stop(server: Server, finishMs: number): Promise<void> {
  const drop = setTimeout(() => {
    server.closeAllConnections()
  }, finishMs)
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeIdleConnections()
  })
  clearTimeout(drop)
}
