export interface QueuedEvent {
  /** Microseconds of virtual time. */
  readonly at: number
  /** Orders events of the same time. */
  readonly order: number
}

/** A binary heap: the earliest event first. */
export class EventQueue<E extends QueuedEvent> {
  readonly #heap: E[] = []

  get size(): number {
    return this.#heap.length
  }

  push(event: E): void {
    const heap = this.#heap
    let index = heap.length
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent]
      if (above === undefined || isBefore(above, event)) break
      heap[index] = above
      index = parent
    }
    heap[index] = event
  }

  pop(): E | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (last !== undefined && heap.length > 0) this.#sink(last)
    return first
  }

  #sink(event: E): void {
    const heap = this.#heap
    let index = 0
    for (;;) {
      const left = heap[2 * index + 1]
      const right = heap[2 * index + 2]
      const isRight = right !== undefined && left !== undefined && isBefore(right, left)
      const child = isRight ? right : left
      if (child === undefined || isBefore(event, child)) break
      heap[index] = child
      index = 2 * index + (isRight ? 2 : 1)
    }
    heap[index] = event
  }
}

function isBefore(one: QueuedEvent, other: QueuedEvent): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}
