import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import { endEvent, type EndReason } from './live-events.ts'
import type { LiveStream } from './live-stream.ts'

/** A stream that has joined receives commits as they arrive. Otherwise it catches up at `dueAt`. */
export interface Subscriber {
  readonly stream: LiveStream
  isJoined: boolean
  isBusy: boolean
  isClosed: boolean
  dueAt: number
}

export class Subscribers {
  readonly #listeners = new Set<Subscriber>()
  readonly #follow: CommitLog['follow']
  #opening = 0
  #unfollow: (() => void) | null = null

  constructor({ follow }: Pick<CommitLog, 'follow'>) {
    this.#follow = follow
  }

  get listeners(): ReadonlySet<Subscriber> {
    return this.#listeners
  }

  get size(): number {
    return this.#listeners.size + this.#opening
  }

  async opening<T>(open: () => Promise<T>): Promise<T> {
    this.#opening += 1
    this.#unfollow ??= this.#follow()
    try {
      return await open()
    } finally {
      this.#opening -= 1
      this.#rest()
    }
  }

  add(stream: LiveStream): Subscriber {
    const listener = { stream, isJoined: false, isBusy: true, isClosed: false, dueAt: 0 }
    this.#listeners.add(listener)
    return listener
  }

  remove(listener: Subscriber): void {
    listener.isClosed = true
    this.#listeners.delete(listener)
    this.#rest()
  }

  end(listener: Subscriber, reason: EndReason): void {
    this.remove(listener)
    listener.stream.client.sink.end(endEvent(reason))
  }

  #rest(): void {
    if (this.size > 0) return
    this.#unfollow?.()
    this.#unfollow = null
  }
}

export function pauseSubscriber(listener: Subscriber, ms: number): void {
  listener.isJoined = false
  listener.dueAt = performance.now() + ms
}
