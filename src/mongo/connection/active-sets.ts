import type { MongoClient } from 'mongodb'

/**
 * A set of few things that come and go all the time, in whatever order. Unlike a `Set` it keeps nothing
 * of what has left.
 *
 * V8 moves the entries of a `Set` to a new table every so often, and the old table goes on pointing to
 * the new one and to what was in it. Once one table has become old, every later one counts as
 * referred to by it, with all that it held, and is garbage that only a collection of the whole heap finds.
 */
export class ActiveSet<T> implements Iterable<T> {
  readonly #things: T[] = []

  add(thing: T): this {
    if (!this.#things.includes(thing)) this.#things.push(thing)
    return this
  }

  delete(thing: T): boolean {
    const index = this.#things.indexOf(thing)
    if (index === -1) return false
    const last = this.#things.pop()
    if (last !== undefined && index < this.#things.length) this.#things[index] = last
    return true
  }

  clear(): void {
    this.#things.length = 0
  }

  /** Over those that are there now: what is done to each may remove it. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#things][Symbol.iterator]()
  }
}

/** What the driver (7.8) knows of under way, and closes with its client. */
const NAMES = ['activeSessions', 'activeCursors'] as const

/**
 * Gives a client other sets of its sessions and cursors: with its own, what each request read from the
 * database outlived it until the next collection of the whole heap, a fifth of the time that a list takes.
 * Where the driver has no such sets any more, nothing is done.
 */
export function patchActiveSets(client: MongoClient): void {
  const state: unknown = Reflect.get(client, 's')
  if (typeof state !== 'object' || state === null) return
  for (const name of NAMES) {
    const known: unknown = Reflect.get(state, name)
    if (known instanceof Set && known.size === 0) Reflect.set(state, name, new ActiveSet())
  }
}
