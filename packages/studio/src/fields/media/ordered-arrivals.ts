interface Delivery<T> {
  readonly deliver: (id: number, value: T) => void
  /** Receives the errors of `deliver`. */
  readonly onFault: (id: number, error: unknown) => void
}

/** Delivers values in the order of their ids: each one waits until those before it have settled. */
export class OrderedArrivals<T> {
  readonly #waiting: number[]
  readonly #settled = new Map<number, T | null>()
  readonly #delivery: Delivery<T>

  constructor(ids: readonly number[], delivery: Delivery<T>) {
    this.#waiting = [...ids]
    this.#delivery = delivery
  }

  /** Null has failed. It is not delivered. The first value of an id counts. */
  settle(id: number, value: T | null): void {
    if (this.#settled.has(id)) return
    this.#settled.set(id, value)
    this.#deliverSettled()
  }

  /** A value that is not delivered yet never will be, and others do not wait for it. */
  discard(id: number): void {
    if (!this.#waiting.includes(id)) return
    this.#settled.set(id, null)
    this.#deliverSettled()
  }

  #deliverSettled(): void {
    for (;;) {
      const [first] = this.#waiting
      if (first === undefined || !this.#settled.has(first)) return
      this.#waiting.shift()
      this.#deliver(first)
    }
  }

  /** Delivers the values that have arrived, and none after them. */
  flush(): void {
    for (const id of this.#waiting.splice(0)) this.#deliver(id)
  }

  #deliver(id: number): void {
    const value = this.#settled.get(id) ?? null
    if (value === null) return
    try {
      this.#delivery.deliver(id, value)
    } catch (error) {
      this.#delivery.onFault(id, error)
    }
  }
}
