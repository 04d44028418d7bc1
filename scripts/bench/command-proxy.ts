import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { commandCounter, targetOf } from './wire-commands.ts'

/** Stands between a server and its database, and counts the commands that go through. */
export interface CommandProxy {
  readonly uri: string
  /** How many since the last call. */
  take(): number
  close(): Promise<void>
}

export async function openCommandProxy(uri: string): Promise<CommandProxy> {
  const sockets = new Set<Socket>()
  let commands = 0
  const server = createServer((inbound) => {
    const outbound = connect(targetOf(uri))
    const count = commandCounter(() => (commands += 1))
    for (const socket of [inbound, outbound]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        inbound.destroy()
        outbound.destroy()
      })
    }
    inbound.on('data', count)
    inbound.pipe(outbound).pipe(inbound)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    uri: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    take: () => {
      const taken = commands
      commands = 0
      return taken
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
