/** Rows per part. The next part is prepared while the previous one is stored. */
const PART = 500
/** Parts that are stored concurrently, each on its own connection. */
const CONCURRENCY = 2

interface Part<T> {
  readonly items: readonly T[]
  readonly stored: Promise<boolean>
}

export class PartStore<T> {
  readonly #storeTogether: (items: readonly T[]) => Promise<boolean>
  #waiting: T[] = []
  #isLinked = false
  #parts: Part<T>[] = []

  /** `storeTogether` stores either all items and returns true, or none and returns false. */
  constructor(storeTogether: (items: readonly T[]) => Promise<boolean>) {
    this.#storeTogether = storeTogether
  }

  /** Starts to store a part when it is full. Waits if `AT_ONCE` parts are already in flight. */
  async add(item: T, { isLinked }: { readonly isLinked: boolean }): Promise<void> {
    this.#waiting.push(item)
    this.#isLinked ||= isLinked
    if (this.#waiting.length < PART) return
    await this.#parts.at(-CONCURRENCY)?.stored.catch(() => undefined) // reported by `settle`
    this.#begin()
  }

  /** Returns the items that were not stored, in their order. @throws errors of `storeTogether` */
  async settle(): Promise<readonly T[]> {
    this.#begin()
    const parts = this.#parts
    this.#parts = []
    const settled = await Promise.allSettled(parts.map(({ stored }) => stored))
    const lost = settled.find((each) => each.status === 'rejected')
    if (lost !== undefined) throw lost.reason
    return parts.flatMap(({ items }, at) => {
      const each = settled[at]
      return each?.status === 'fulfilled' && each.value ? [] : items
    })
  }

  /** A part with references to other parts waits for them, and fails if one of them is rejected. */
  #begin(): void {
    const items = this.#waiting
    if (items.length === 0) return
    const before = this.#isLinked ? this.#parts.map(({ stored }) => stored) : []
    const stored = Promise.all(before).then((each) =>
      each.includes(false) ? false : this.#storeTogether(items),
    )
    stored.catch(() => undefined) // reported by `settle`
    this.#parts.push({ items, stored })
    this.#waiting = []
    this.#isLinked = false
  }
}
