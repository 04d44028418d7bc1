import type { SimulatedProcess, Simulation } from '../core/simulation.ts'
import { VirtualSocket } from './virtual-socket.ts'
import { VirtualTimer } from './virtual-timers.ts'

/** Accepts connections at an address. */
export interface Listener {
  readonly owner: SimulatedProcess
  readonly accept: (socket: VirtualSocket) => void
}

/** A fault between two processes. `stalled`: no byte arrives. `refused`: no connection opens. */
export type Weather = 'fair' | 'stalled' | 'refused'

/** One direction of a connection: bytes arrive in order. */
interface Direction {
  lastAt: number
  readonly waiting: (() => void)[]
}

const MIN_LATENCY_US = 20
const MAX_LATENCY_US = 300
/** One of this many messages takes up to `MAX_SLOW_US`. */
const SLOW_SHARE = 1 / 200
const MAX_SLOW_US = 40_000
const CONNECT_TIMEOUT_US = 20_000_000

export class Network {
  readonly #simulation: Simulation
  readonly #listeners = new Map<string, Listener>()
  readonly #weather = new Map<string, Weather>()
  readonly #links = new Set<Link>()
  #connections = 0

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  get simulation(): Simulation {
    return this.#simulation
  }

  listen(address: string, listener: Listener): void {
    this.#listeners.set(address, listener)
  }

  stopListening(address: string, owner: SimulatedProcess): void {
    if (this.#listeners.get(address)?.owner === owner) this.#listeners.delete(address)
  }

  isListening(address: string): boolean {
    return this.#listeners.get(address)?.owner.isAlive === true
  }

  timer(process: SimulatedProcess, delayMs: number, run: () => void): VirtualTimer {
    const label = 'socket timeout'
    return new VirtualTimer(this.#simulation, { process, label, run, delayMs, repeats: false })
  }

  latency(): number {
    const { random } = this.#simulation
    return random.chance(SLOW_SHARE)
      ? random.between(MAX_LATENCY_US, MAX_SLOW_US)
      : random.between(MIN_LATENCY_US, MAX_LATENCY_US)
  }

  connect(owner: SimulatedProcess, address: string): VirtualSocket {
    this.#connections += 1
    const label = `#${this.#connections} ${address}`
    const socket = new VirtualSocket(this, owner, label)
    const { random } = this.#simulation
    this.#simulation.after(owner, this.latency(), `connect ${label}`, () => {
      this.#open(socket, address, 1024 + random.between(0, 60_000))
    })
    return socket
  }

  weatherBetween(one: SimulatedProcess, other: SimulatedProcess): Weather {
    return this.#weather.get(pairOf(one.name, other.name)) ?? 'fair'
  }

  /** Holds for all connections between the names, from now on. */
  setWeather(one: string, other: string, weather: Weather): void {
    this.#weather.set(pairOf(one, other), weather)
    if (weather === 'stalled') return
    for (const link of this.#links) if (link.isBetween(one, other)) link.release()
  }

  /** Cuts open connections between the names. Bytes that have not arrived are lost. */
  cut(one: string, other: string): number {
    const links = [...this.#links].filter((link) => link.isBetween(one, other))
    for (const link of links) link.cut()
    return links.length
  }

  forget(link: Link): void {
    this.#links.delete(link)
  }

  #open(socket: VirtualSocket, address: string, port: number): void {
    if (socket.destroyed) return
    const listener = this.#listeners.get(address)
    const weather =
      listener === undefined ? 'fair' : this.weatherBetween(socket.owner, listener.owner)
    if (listener === undefined || !listener.owner.isAlive || weather === 'refused') {
      const code = 'ECONNREFUSED'
      socket.destroy(Object.assign(new Error(`connect ${code} ${address}`), { code }))
      return
    }
    if (weather === 'stalled') {
      const retryUs = this.#simulation.random.between(50_000, 1_000_000)
      const again = (): void => this.#open(socket, address, port)
      this.#simulation.after(socket.owner, Math.min(retryUs, CONNECT_TIMEOUT_US), 'connect', again)
      return
    }
    const far = new VirtualSocket(this, listener.owner, socket.label)
    far.remotePort = port
    far.on('error', () => undefined) // the connection may be cut before `accept`
    const link = new Link(this, socket, far)
    this.#links.add(link)
    const { label } = socket
    this.#simulation.after(listener.owner, this.latency(), `accept ${label}`, () => {
      if (far.destroyed) return
      far.connected(link)
      listener.accept(far)
    })
    socket.connected(link)
  }
}

function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

/** The connection of two sockets. */
export class Link {
  readonly #network: Network
  readonly #ends: readonly [VirtualSocket, VirtualSocket]
  readonly #directions = new Map<VirtualSocket, Direction>()
  #isCut = false

  constructor(network: Network, near: VirtualSocket, far: VirtualSocket) {
    this.#network = network
    this.#ends = [near, far]
    for (const end of this.#ends) this.#directions.set(end, { lastAt: 0, waiting: [] })
  }

  isBetween(one: string, other: string): boolean {
    const names = this.#ends.map(({ owner }) => owner.name)
    return names.includes(one) && names.includes(other)
  }

  send(from: VirtualSocket, bytes: Buffer): void {
    const to = this.#otherOf(from)
    this.#travel(from, `${bytes.length} bytes ${from.label}`, () => {
      to.receive(bytes)
      from.arrived(bytes.length)
    })
  }

  sendEnd(from: VirtualSocket): void {
    const to = this.#otherOf(from)
    this.#travel(from, `end ${from.label}`, () => to.receiveEnd())
  }

  /** The owner has closed its end. Bytes that it sent before still arrive, except after an error. */
  close(from: VirtualSocket, isReset: boolean): void {
    const to = this.#otherOf(from)
    this.#travel(from, `close ${from.label}`, () => {
      this.#network.forget(this)
      if (isReset) to.reset('ECONNRESET')
      else to.receiveEnd()
    })
  }

  /** The owner was killed. Its kernel sends the rest, or nothing of it. */
  lose(from: VirtualSocket): void {
    const to = this.#otherOf(from)
    const { random } = this.#network.simulation
    if (random.chance(0.5)) this.#isCut = true
    this.#after(to, this.#network.latency(), `lost ${from.label}`, () => {
      this.#network.forget(this)
      to.reset('ECONNRESET')
    })
  }

  cut(): void {
    this.#isCut = true
    this.#network.forget(this)
    for (const end of this.#ends) {
      this.#after(end, this.#network.latency(), `cut ${end.label}`, () => end.reset('ECONNRESET'))
    }
  }

  /** Ends a stall: the bytes that wait arrive in their order. */
  release(): void {
    for (const { waiting } of this.#directions.values()) {
      for (const deliver of waiting.splice(0)) deliver()
    }
  }

  #travel(from: VirtualSocket, label: string, deliver: () => void): void {
    if (this.#isCut) return
    const direction = this.#directions.get(from)
    const to = this.#otherOf(from)
    if (direction === undefined) return
    const go = (): void => {
      const { simulation } = this.#network
      direction.lastAt = Math.max(simulation.now + this.#network.latency(), direction.lastAt + 1)
      simulation.at(to.owner, direction.lastAt, label, () => {
        if (!this.#isCut) deliver()
      })
    }
    const isStalled = this.#network.weatherBetween(from.owner, to.owner) === 'stalled'
    if (isStalled || direction.waiting.length > 0) direction.waiting.push(go)
    else go()
  }

  #after(to: VirtualSocket, delay: number, label: string, run: () => void): void {
    this.#network.simulation.after(to.owner, delay, label, run)
  }

  #otherOf(end: VirtualSocket): VirtualSocket {
    const [near, far] = this.#ends
    return end === near ? far : near
  }
}
