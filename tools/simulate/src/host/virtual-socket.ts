import { Duplex } from 'node:stream'
import type { SimulatedProcess, Simulation } from '../core/simulation.ts'
import type { VirtualTimer } from './virtual-timers.ts'

/** The connection to another socket. */
export interface SocketLink {
  send(from: VirtualSocket, bytes: Buffer): void
  sendEnd(from: VirtualSocket): void
  close(from: VirtualSocket, isReset: boolean): void
  lose(from: VirtualSocket): void
}

/** The network of a socket. */
export interface SocketNetwork {
  readonly simulation: Pick<Simulation, 'now'>
  timer(process: SimulatedProcess, delayMs: number, run: () => void): VirtualTimer
}

type Done = (error?: Error | null) => void

/** How many bytes may travel before the sender waits. */
const WINDOW_BYTES = 64 * 1024

/** One end of a connection in memory, with the members of `net.Socket` that the programs use. */
export class VirtualSocket extends Duplex {
  readonly owner: SimulatedProcess
  readonly label: string
  connecting = true
  remoteAddress = '10.0.0.1'
  remotePort = 1
  remoteFamily = 'IPv4'
  localAddress = '10.0.0.1'
  localPort = 1
  bytesRead = 0
  bytesWritten = 0
  timeout = 0
  link: SocketLink | null = null
  readonly #network: SocketNetwork
  readonly #early: (() => void)[] = []
  #travelling = 0
  #blocked: Done | null = null
  #silence: VirtualTimer | null = null
  #activeAt = 0
  #hasEnded = false
  readonly #die: () => void

  constructor(network: SocketNetwork, owner: SimulatedProcess, label: string) {
    super({ allowHalfOpen: false, emitClose: true })
    this.#network = network
    this.owner = owner
    this.label = label
    this.#die = () => this.die()
    owner.onKill.add(this.#die)
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  address(): object {
    return { address: this.localAddress, family: 'IPv4', port: this.localPort }
  }

  setTimeout(ms: number, listener?: () => void): this {
    this.timeout = ms
    if (listener !== undefined) {
      if (ms === 0) this.off('timeout', listener)
      else this.once('timeout', listener)
    }
    this.#touch()
    this.#listen()
    return this
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Called in an event of the owner. */
  connected(link: SocketLink): void {
    this.link = link
    this.connecting = false
    for (const write of this.#early.splice(0)) write()
    this.emit('connect')
    this.emit('ready')
  }

  /** Called in an event of the owner. */
  receive(bytes: Buffer): void {
    if (this.destroyed || this.#hasEnded) return
    this.bytesRead += bytes.length
    this.#touch()
    this.push(bytes)
  }

  receiveEnd(): void {
    if (this.destroyed || this.#hasEnded) return
    this.#hasEnded = true
    this.push(null)
    if (this.readableFlowing !== true) this.read(0)
  }

  /** The other end has received bytes. */
  arrived(bytes: number): void {
    this.#travelling -= bytes
    const done = this.#blocked
    if (done === null || this.#travelling > WINDOW_BYTES) return
    this.#blocked = null
    done()
  }

  reset(code: string): void {
    if (this.destroyed) return
    this.destroy(Object.assign(new Error(`read ${code}`), { code, syscall: 'read' }))
  }

  /** The process was killed, so the other end loses its connection. */
  die(): void {
    this.link?.lose(this)
    this.link = null
    this.removeAllListeners()
    this.on('error', () => undefined)
  }

  override _read(): void {
    this.#touch()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send(Buffer.from(chunk), done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: Done): void {
    const finish = (): void => {
      this.link?.sendEnd(this)
      done()
    }
    if (this.connecting) this.#early.push(finish)
    else finish()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.owner.onKill.delete(this.#die)
    this.#silence?.close()
    this.link?.close(this, error !== null)
    this.link = null
    done(error)
  }

  #send(bytes: Buffer, done: Done): void {
    if (this.connecting) {
      this.#early.push(() => this.#send(bytes, done))
      return
    }
    this.bytesWritten += bytes.length
    this.#touch()
    this.#travelling += bytes.length
    this.link?.send(this, bytes)
    if (this.#travelling > WINDOW_BYTES) this.#blocked = done
    else done()
  }

  #touch(): void {
    this.#activeAt = this.#network.simulation.now
  }

  /** Watches for silence. The timer is not moved at each byte, because that would be expensive. */
  #listen(delayMs = this.timeout): void {
    this.#silence?.close()
    this.#silence = null
    if (this.timeout === 0 || this.destroyed || !this.owner.isAlive) return
    this.#silence = this.#network.timer(this.owner, delayMs, () => {
      const silentMs = (this.#network.simulation.now - this.#activeAt) / 1000
      if (silentMs >= this.timeout) this.emit('timeout')
      else this.#listen(Math.ceil(this.timeout - silentMs))
    })
  }
}
