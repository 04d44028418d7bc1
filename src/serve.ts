import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localAddress } from './config.ts'
import type { Config } from './config.ts'
import { ConfigError } from './errors.ts'

/** What is served: an application that has been put together. */
export interface App {
  callback(): RequestListener
  close(): Promise<void>
}

export interface RunningServer {
  readonly port: number
  /** Where it is reached from this machine. */
  readonly address: string
  /** Accepts nothing more, finishes what is in flight, and drops after 10 seconds what is not done. */
  readonly stop: () => Promise<void>
}

/** Against clients that send or read too slowly, or not at all. */
const TIMEOUTS = {
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5000,
  /** Above the minute after which balancers commonly give up an idle connection. */
  keepAliveTimeout: 65_000,
}
const SILENT_SOCKET_MS = 120_000
const FINISH_MS = 10_000

/** Room for a query string with 1,000 values in a list; Node's 16 KiB hold about 300. */
const MAX_HEADER_BYTES = 131_072

const CANNOT_LISTEN: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `PORT: ${port} on ${host} is in use, another server runs there; 0 takes any free port`,
  EACCES: (host, port) =>
    `PORT: ${port} on ${host} may not be used by this user; try one above 1023`,
  EADDRNOTAVAIL: (host) => `HOST: ${host} is not an address of this machine`,
  ENOTFOUND: (host) => `HOST: ${host} is not an address of this machine`,
}

/**
 * Listens on the host and port of the configuration.
 * @throws ConfigError when the address cannot be had.
 */
export async function serve(
  app: Pick<App, 'callback'>,
  { http }: { readonly http: Pick<Config['http'], 'host' | 'port'> },
  finishMs = FINISH_MS,
): Promise<RunningServer> {
  const { server, beginStop } = createStoppable(app.callback())
  await listen(server, http.host, http.port)
  const { port } = server.address() as AddressInfo
  return {
    port,
    address: localAddress(http.host, port),
    stop: () => stop(server, beginStop, finishMs),
  }
}

interface Stoppable {
  readonly server: Server
  readonly beginStop: () => void
}

// While it stops, an answer ends its connection: a client that keeps it alive would hold us up.
function createStoppable(listener: RequestListener): Stoppable {
  let stopping = false
  const server = createServer(
    { ...TIMEOUTS, maxHeaderSize: MAX_HEADER_BYTES },
    (request, response) => {
      if (stopping) response.setHeader('connection', 'close')
      response.once('close', () => {
        if (stopping) server.closeIdleConnections()
      })
      listener(request, response)
    },
  )
  server.setTimeout(SILENT_SOCKET_MS)
  const beginStop = (): void => {
    stopping = true
  }
  return { server, beginStop }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
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

async function stop(server: Server, beginStop: () => void, finishMs: number): Promise<void> {
  beginStop()
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
