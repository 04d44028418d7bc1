/** Rows are stored in parts: while one is being stored, the next is prepared. */
const PART = 500
/** Parts that are stored beside each other, each with a connection of its own. */
const AT_ONCE = 2

interface Part<T> {
  readonly items: readonly T[]
  /** False where none of them was stored. */
  readonly stored: Promise<boolean>
}

/** What waits to be stored together, and what is being stored. */
export class PartStore<T> {
  readonly #storeTogether: (items: readonly T[]) => Promise<boolean>
  #waiting: T[] = []
  /** Whether one that waits names another that waits or is being stored. */
  #isLinked = false
  #parts: Part<T>[] = []

  /** `storeTogether` stores all of them, or none and answers false. */
  constructor(storeTogether: (items: readonly T[]) => Promise<boolean>) {
    this.#storeTogether = storeTogether
  }

  /** Begins to store a part once it is whole; waits while as many are being stored as may be. */
  async add(item: T, { isLinked }: { readonly isLinked: boolean }): Promise<void> {
    this.#waiting.push(item)
    this.#isLinked ||= isLinked
    if (this.#waiting.length < PART) return
    await this.#parts.at(-AT_ONCE)?.stored.catch(() => undefined) // reported by `settle`
    this.#begin()
  }

  /** Waits until all are stored. Answers, in their order, those that were not. @throws what `storeTogether` threw */
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

  /** A part that names others is stored after all of them, and not where one of those was refused. */
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
