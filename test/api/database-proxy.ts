import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { commandCounter, targetOf } from '../../scripts/bench/wire-commands.ts'

/** A database behind a door of the test's: it counts what goes through, and can be shut. */
export interface DatabaseProxy {
  readonly uri: string
  /** The names of the commands since the last call, those that keep the connection up left out. */
  takeCommands(): readonly string[]
  /** Breaks every connection, and refuses new ones. */
  shut(): void
  /** Lets nothing through any more, in either direction, and breaks no connection. */
  stall(): void
  /** Lets through what is new; what was stalled is broken. */
  open(): void
  close(): Promise<void>
}

/** Stands between a server and the database of `uri`, on a free port. */
export async function openDatabaseProxy(uri: string): Promise<DatabaseProxy> {
  const target = targetOf(uri)
  const sockets = new Set<Socket>()
  let commands: string[] = []
  let isOpen = true
  let isStalled = false
  const server = createServer((inbound) => {
    if (!isOpen) {
      inbound.destroy()
      return
    }
    const outbound = connect(target)
    const count = commandCounter((name) => commands.push(name))
    for (const socket of [inbound, outbound]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        inbound.destroy()
        outbound.destroy()
      })
    }
    if (isStalled) return
    inbound.on('data', count)
    inbound.pipe(outbound)
    outbound.pipe(inbound)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=700`,
    takeCommands: () => {
      const taken = commands
      commands = []
      return taken
    },
    shut: () => {
      isOpen = false
      destroyAll()
    },
    stall: () => {
      isStalled = true
      for (const socket of sockets) socket.unpipe()
    },
    open: () => {
      if (isStalled) destroyAll()
      isStalled = false
      isOpen = true
    },
    close: async () => {
      destroyAll()
      server.close()
      await once(server, 'close')
    },
  }
}
