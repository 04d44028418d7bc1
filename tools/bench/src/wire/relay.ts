import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A free loopback port that forwards to a database. */
export interface Relay {
  readonly port: number
  readonly close: () => Promise<void>
}

/**
 * Connects each client with the database of `uri`. `join` forwards the bytes. If one side ends, so
 * does the other.
 */
export async function openRelay(
  uri: string,
  join: (inbound: Socket, outbound: Socket) => void,
): Promise<Relay> {
  const target = parseTarget(uri)
  const sockets = new Set<Socket>()
  const server = createServer((inbound) => {
    const outbound = connect(target)
    for (const socket of [inbound, outbound]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        inbound.destroy()
        outbound.destroy()
      })
    }
    join(inbound, outbound)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * The target of `mongodb://host:port/…`, or of a percent-encoded socket path in place of the host.
 */
export function parseTarget(uri: string): NetConnectOpts {
  const host = decodeURIComponent(/^mongodb:\/\/([^/,?]+)/.exec(uri)?.[1] ?? '')
  if (host.startsWith('/')) return { path: host }
  const [name = '', port = '27017'] = host.split(':')
  return { host: name, port: Number(port) }
}
