import type { Answer } from '../support/server.ts'
import type { FaultProxy } from './fault-proxy.ts'

/** A request whose commands go through a proxy of its own. */
export interface Lane {
  readonly proxy: FaultProxy
  readonly send: () => Promise<Answer>
}

/** `first` sends `before` commands, the other request `between`, then both go on in turn. */
export interface Order {
  readonly first: 0 | 1
  readonly before: number
  readonly between: number
}

/** A command that has no reply by then waits for the other request. */
const BLOCKED_MS = 40

/** All orders with at most two changes between the requests, evenly reduced to `limit`. */
export function ordersOf(counts: readonly [number, number], limit: number): readonly Order[] {
  const orders: Order[] = []
  for (const first of [0, 1] as const) {
    const other = counts[first === 0 ? 1 : 0]
    for (let before = 1; before <= counts[first]; before += 1) {
      orders.push({ first, before, between: Infinity })
      for (let between = 1; between < other; between += 1) orders.push({ first, before, between })
    }
  }
  const step = Math.max(1, orders.length / limit)
  return orders.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
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

/** Runs two requests in this order of commands. */
export async function interleave(
  lanes: readonly [Lane, Lane],
  { first, before, between }: Order,
): Promise<readonly [Answer, Answer]> {
  const held = [new HeldRequest(lanes[0]), new HeldRequest(lanes[1])] as const
  const other = held[first === 0 ? 1 : 0]
  await held[first].advance(before)
  await other.advance(between)
  await held[first].advance(Infinity)
  const answers = [held[0].finish(), held[1].finish()] as const
  return Promise.all(answers)
}
