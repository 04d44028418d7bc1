import { randomBytes } from 'node:crypto'
import { Timestamp } from 'bson'
import type { Long } from 'bson'
import { CommandError } from '../errors.ts'

export type OperationKind =
  'insert' | 'update' | 'replace' | 'delete' | 'drop' | 'dropDatabase' | 'invalidate'

/** A change of a record, in the order of a unit, or the removal of a collection or database. */
export interface Operation {
  readonly kind: OperationKind
  readonly database: string
  /** Empty for `dropDatabase`. */
  readonly collection: string
  readonly before: Buffer | null
  readonly after: Buffer | null
}

/** The transaction of a change: its session in hexadecimal digits, and its number. */
export interface Origin {
  readonly session: string
  readonly number: Long
}

export interface Event extends Operation {
  readonly seq: number
  readonly time: Timestamp
  readonly at: Date
  readonly origin: Origin | null
}

/** The committed changes since the first change stream, in memory. */
export interface History {
  /** Differs after each start of the engine. */
  readonly run: string
  readonly lastSeq: number
  /** Keeps all later changes, up to a limit. */
  start(): void
  /** Must be followed by `commit` or `discard`. */
  add(operations: readonly Operation[], origin: Origin | null): void
  commit(): void
  discard(): void
  /** @throws CommandError ChangeStreamHistoryLost if events after this one are not kept */
  readAfter(seq: number): Iterable<Event>
  /** Resolves at the next commit, or after the time. @throws CommandError InterruptedAtShutdown */
  changed(maxMs: number): Promise<void>
  /** Hides later events until `release`. */
  hold(): void
  release(): void
  /** Forgets the events since `hold`. */
  rollBack(): void
  close(): void
}

export interface HistoryLimits {
  readonly events: number
  readonly bytes: number
}

const LIMITS: HistoryLimits = { events: 100_000, bytes: 32 * 1024 * 1024 }
/** Of an event besides its documents. */
const EVENT_BYTES = 200
const NON_RESUMABLE = { labels: ['NonResumableChangeStreamError'] }

export function historyLost(): CommandError {
  return new CommandError(
    'ChangeStreamHistoryLost',
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
    NON_RESUMABLE,
  )
}

export function openHistory(limits = LIMITS): History {
  return new MemoryHistory(limits)
}

interface Pending {
  readonly operations: readonly Operation[]
  readonly origin: Origin | null
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: CommandError) => void
}

class MemoryHistory implements History {
  readonly run = randomBytes(8).toString('hex')
  readonly #limits: HistoryLimits
  readonly #waiting = new Set<Waiting>()
  /** Events before `#first` are forgotten, and removed from the list from time to time. */
  #events: Event[] = []
  #first = 0
  #bytes = 0
  #isKept = false
  #pending: Pending[] = []
  #last = { seq: 0, time: new Timestamp({ t: 0, i: 0 }) }
  /** The number of the newest event that is not kept. */
  #lost = 0
  #held: number | null = null

  constructor(limits: HistoryLimits) {
    this.#limits = limits
  }

  get lastSeq(): number {
    return this.#held ?? this.#last.seq
  }

  start(): void {
    this.#isKept = true
  }

  add(operations: readonly Operation[], origin: Origin | null): void {
    if (this.#isKept && operations.length > 0) this.#pending.push({ operations, origin })
  }

  commit(): void {
    if (this.#pending.length === 0) return
    for (const { operations, origin } of this.#pending) this.#keep(operations, origin)
    this.#pending = []
    this.#trim()
    if (this.#held === null) this.#wake()
  }

  discard(): void {
    this.#pending = []
  }

  *readAfter(seq: number): Generator<Event> {
    let next = seq
    for (;;) {
      if (next < this.#lost) throw historyLost()
      const event = this.#events[this.#placeAfter(next)]
      if (event === undefined || event.seq > this.lastSeq) return
      next = event.seq
      yield event
    }
  }

  changed(maxMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve()
      }
      const timer = setTimeout(end, maxMs).unref()
      const waiting = { resolve: end, reject }
      this.#waiting.add(waiting)
    })
  }

  hold(): void {
    this.#held ??= this.#last.seq
  }

  release(): void {
    this.#held = null
    this.#wake()
  }

  rollBack(): void {
    const held = this.lastSeq
    this.#events = this.#events.filter(({ seq }, place) => place >= this.#first && seq <= held)
    this.#first = 0
    this.#bytes = this.#events.reduce((bytes, event) => bytes + sizeOf(event), 0)
  }

  close(): void {
    this.#isKept = false
    for (const { reject } of this.#waiting)
      reject(new CommandError('InterruptedAtShutdown', 'interrupted at shutdown'))
    this.#waiting.clear()
  }

  #keep(operations: readonly Operation[], origin: Origin | null): void {
    const at = new Date()
    const time = this.#nextTime(at.getTime())
    for (const operation of operations) {
      this.#last = { seq: this.#last.seq + 1, time }
      const event = { ...operation, ...this.#last, at, origin }
      this.#events.push(event)
      this.#bytes += sizeOf(event)
    }
  }

  #nextTime(ms: number): Timestamp {
    const { t, i } = this.#last.time
    const seconds = Math.floor(ms / 1000)
    return seconds > t ? new Timestamp({ t: seconds, i: 1 }) : new Timestamp({ t, i: i + 1 })
  }

  #trim(): void {
    const { events, bytes } = this.#limits
    while (this.#events.length - this.#first > events || this.#bytes > bytes) {
      const oldest = this.#events[this.#first]
      if (oldest === undefined) break
      this.#lost = oldest.seq
      this.#bytes -= sizeOf(oldest)
      this.#first++
    }
    if (this.#first < this.#events.length / 2) return
    this.#events = this.#events.slice(this.#first)
    this.#first = 0
  }

  /** Numbers have gaps after a roll-back, so the place is searched by halves. */
  #placeAfter(seq: number): number {
    let [low, high] = [this.#first, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle]?.seq ?? Infinity) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  #wake(): void {
    for (const { resolve } of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

function sizeOf({ before, after }: Operation): number {
  return EVENT_BYTES + (before?.length ?? 0) + (after?.length ?? 0)
}
