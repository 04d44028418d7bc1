import type { CommitLog } from '../mongo/commits/commit-log.ts'
import { endEvent, type EndReason } from './live-events.ts'
import type { LiveStream } from './live-stream.ts'

/** A stream, and whether it hears commits as they come; if not, it catches up once `dueAt` has come. */
export interface Listener {
  readonly stream: LiveStream
  isJoined: boolean
  /** It is being brought to where the log is, or waits for its turn. */
  isBusy: boolean
  isClosed: boolean
  /** By `performance.now()`. */
  dueAt: number
}

/** Clients come back some sooner and some later. */
const RETRY_MS = { least: 500, most: 5_000 } as const

/** All streams of a process. As long as there are any the log is followed closely. */
export class Audience {
  readonly #listeners = new Set<Listener>()
  readonly #follow: CommitLog['follow']
  #opening = 0
  #unfollow: (() => void) | null = null

  constructor({ follow }: Pick<CommitLog, 'follow'>) {
    this.#follow = follow
  }

  get listeners(): ReadonlySet<Listener> {
    return this.#listeners
  }

  /** With those that are being opened. */
  get size(): number {
    return this.#listeners.size + this.#opening
  }

  /** Counts a stream while it is being opened. */
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

  add(stream: LiveStream): Listener {
    const listener = { stream, isJoined: false, isBusy: true, isClosed: false, dueAt: 0 }
    this.#listeners.add(listener)
    return listener
  }

  remove(listener: Listener): void {
    listener.isClosed = true
    this.#listeners.delete(listener)
    this.#rest()
  }

  end(listener: Listener, reason: EndReason): void {
    this.remove(listener)
    listener.stream.client.sink.end(endEvent(reason, retryMs()))
  }

  #rest(): void {
    if (this.size > 0) return
    this.#unfollow?.()
    this.#unfollow = null
  }
}

/** A stream gets no events for so long, and then its new rights first. */
export function hold(listener: Listener, ms: number): void {
  listener.isJoined = false
  listener.dueAt = performance.now() + ms
}

function retryMs(): number {
  const { least, most } = RETRY_MS
  return Math.round(least + Math.random() * (most - least))
}
