import { EventEmitter } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import type { SimulatedProcess } from '../core/simulation.ts'
import type { Network } from './network.ts'
import { functionOf, replaceMember } from './replace-member.ts'
import type { VirtualSocket } from './virtual-socket.ts'

/** The network of the running simulation, and the process that runs now. */
export interface NetworkPlace {
  readonly network: Network
  readonly process: SimulatedProcess
}

export type FindNetwork = () => NetworkPlace | null

/** Patches `node:net` and `node:http` for programs of a simulation. */
export function patchNetwork(find: FindNetwork): void {
  for (const name of ['createConnection', 'connect']) {
    const real = functionOf(net, name)
    replaceMember(net, name, (...args: unknown[]) => {
      const place = find()
      return place === null ? real(...args) : connect(place, args)
    })
  }
  const realAgent = functionOf(http.Agent.prototype, 'createConnection')
  replaceMember(
    http.Agent.prototype,
    'createConnection',
    function (this: unknown, ...args: unknown[]) {
      const place = find()
      return place === null ? Reflect.apply(realAgent, this, args) : connect(place, args)
    },
  )
  patchServers(find)
}

function connect({ network, process }: NetworkPlace, args: readonly unknown[]): VirtualSocket {
  const listener = args.find((arg) => typeof arg === 'function')
  const socket = network.connect(process, addressOf(args))
  if (typeof listener === 'function') {
    socket.once('connect', () => void Reflect.apply(listener, socket, []))
  }
  return socket
}

/** A path, or `host:port`. Reads the arguments of `listen` and `createConnection`. */
function addressOf([first, second]: readonly unknown[]): string {
  if (typeof first === 'string' && !/^\d+$/.test(first)) return first
  if (typeof first !== 'object' || first === null) {
    return `${typeof second === 'string' ? second : 'localhost'}:${String(first)}`
  }
  const path: unknown = Reflect.get(first, 'path')
  const host: unknown = Reflect.get(first, 'host') ?? Reflect.get(first, 'hostname')
  const port: unknown = Reflect.get(first, 'port')
  if (port === undefined || port === null) return String(path)
  return `${typeof host === 'string' ? host : 'localhost'}:${toText(port)}`
}

function toText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'unknown'
}

function patchServers(find: FindNetwork): void {
  const realNet = functionOf(net, 'createServer')
  replaceMember(net, 'createServer', (...args: unknown[]) => {
    const place = find()
    if (place === null) return realNet(...args)
    const server = new EventEmitter()
    const listener = args.find((arg) => typeof arg === 'function')
    if (typeof listener === 'function') {
      server.on('connection', (socket) => void Reflect.apply(listener, server, [socket]))
    }
    return virtualize(server, place)
  })
  const realHttp = functionOf(http, 'createServer')
  replaceMember(http, 'createServer', (...args: unknown[]) => {
    const server = realHttp(...args)
    const place = find()
    if (place === null || !(server instanceof http.Server)) return server
    // The start of Node's own timers, and headers with the wall time.
    server.removeAllListeners('listening')
    server.prependListener('request', (_, response: http.ServerResponse) => {
      response.sendDate = false
    })
    return virtualize(server, place)
  })
}

function portOf(address: string): number {
  return Number(address.split(':').at(-1))
}

/** Replaces `listen`, `close` and `address` of a server. */
function virtualize(server: EventEmitter, { network, process }: NetworkPlace): EventEmitter {
  const sockets = new Set<VirtualSocket>()
  let address = ''
  const accept = (socket: VirtualSocket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    server.emit('connection', socket)
  }
  const closeAllConnections = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return Object.assign(server, {
    listen: (...args: unknown[]) => {
      address = addressOf(args)
      network.listen(address, { owner: process, accept })
      const done = args.find((arg) => typeof arg === 'function')
      setImmediate(() => {
        server.emit('listening')
        if (typeof done === 'function') Reflect.apply(done, server, [])
      })
      return server
    },
    address: () => ({ address, family: 'IPv4', port: portOf(address) }),
    close: (done?: () => void) => {
      network.stopListening(address, process)
      closeAllConnections()
      setImmediate(() => {
        server.emit('close')
        done?.()
      })
      return server
    },
    closeAllConnections,
    closeIdleConnections: () => undefined,
    getConnections: (done: (error: null, count: number) => void) => done(null, sockets.size),
  })
}
