import type { Answer } from '../support/server.ts'
import type { FaultProxy } from './fault-proxy.ts'

/** A request whose commands go through a proxy of its own. */
export interface Lane {
  readonly proxy: FaultProxy
  readonly send: () => Promise<Answer>
}

/** Commands that a request sends while the others wait. */
export interface Turn {
  readonly lane: number
  readonly commands: number
}

/** The requests send their commands in these turns, and then the rest at the same time. */
export type Order = readonly Turn[]

/** A command that has no reply by then waits for another request. */
const BLOCKED_MS = 40

/**
 * All orders in which a request stops once, lets the next ones run in such an order, and goes on. The last request runs
 * to its end or stops as well. Evenly reduced to `limit`.
 */
export function ordersOf(counts: readonly number[], limit: number): readonly Order[] {
  const lanes = counts.map((_, lane) => lane)
  const orders = permutationsOf(lanes).flatMap((order) => nested(order, counts))
  const step = Math.max(1, orders.length / limit)
  return orders.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

function nested([lane, ...rest]: readonly number[], counts: readonly number[]): readonly Order[] {
  if (lane === undefined) return []
  const whole = { lane, commands: Infinity }
  if (rest.length === 0) return [[whole]]
  const inner = nested(rest, counts)
  const [other] = rest
  const stops = rest.length > 1 || other === undefined ? [] : turnsOf(other, counts)
  return turnsOf(lane, counts).flatMap((turn) =>
    [...inner, ...stops.slice(0, -1).map((stop) => [stop])].map((order) => [turn, ...order, whole]),
  )
}

function turnsOf(lane: number, counts: readonly number[]): readonly Turn[] {
  return Array.from({ length: counts[lane] ?? 0 }, (_, index) => ({ lane, commands: index + 1 }))
}

export function permutationsOf(lanes: readonly number[]): readonly (readonly number[])[] {
  if (lanes.length === 0) return [[]]
  return lanes.flatMap((lane) =>
    permutationsOf(lanes.filter((other) => other !== lane)).map((rest) => [lane, ...rest]),
  )
}

class HeldRequest {
  readonly #pending: (() => void)[] = []
  readonly #answer: Promise<Answer>
  readonly #proxy: FaultProxy
  #open = 0
  #isDone = false
  #changed: () => void = () => undefined

  constructor({ proxy, send }: Lane) {
    this.#proxy = proxy
    proxy.hold(() => this.#wait())
    this.#answer = send().finally(() => {
      this.#isDone = true
      this.#changed()
    })
  }

  #wait(): Promise<() => void> {
    return new Promise((resolve) => {
      this.#pending.push(() => {
        this.#open += 1
        resolve(() => {
          this.#open -= 1
          this.#changed()
        })
      })
      this.#changed()
    })
  }

  /** Sends up to `count` commands, one after the other. Stops if the request is blocked. */
  async advance(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 1) {
      if (!(await this.#reaches(() => this.#pending.length > 0))) return
      this.#pending.shift()?.()
      if (!(await this.#reaches(() => this.#open === 0))) return
    }
  }

  /** False if the request ends or is blocked before. */
  async #reaches(holds: () => boolean): Promise<boolean> {
    const blockedAt = performance.now() + BLOCKED_MS
    while (!holds()) {
      const left = blockedAt - performance.now()
      if (this.#isDone || left <= 0) return false
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#changed = resolve
        timer = setTimeout(resolve, left)
      })
      clearTimeout(timer)
    }
    return true
  }

  finish(): Promise<Answer> {
    this.#proxy.hold(null)
    for (const release of this.#pending.splice(0)) release()
    return this.#answer
  }
}

/** Runs the requests in this order of commands. */
export async function interleave(lanes: readonly Lane[], order: Order): Promise<readonly Answer[]> {
  const held = lanes.map((lane) => new HeldRequest(lane))
  for (const { lane, commands } of order) await held[lane]?.advance(commands)
  return Promise.all(held.map((request) => request.finish()))
}
