import { openAddressShares } from '../../changes/live/address-shares.ts'
import type { EntryChanges } from '../../changes/live/entry-changes.ts'
import { endEvent, type EndReason, HEARTBEAT } from '../../changes/live/live-events.ts'
import type { Sink } from '../../changes/live/live-stream.ts'
import {
  ForbiddenError,
  NotFoundError,
  ServiceUnavailableError,
  UnauthorizedError,
} from '../../base/errors.ts'
import {
  othersIn,
  type Presence,
  type PresenceRow,
  type Present,
  type PresentTab,
} from '../../people/administrators/presence.ts'
import type { WorkedOn } from '../../people/administrators/recent-work.ts'
import { createId } from '../../people/sign-in/random-tokens.ts'
import { hasLeft } from '../answer/hang-ups.ts'
import type { Context } from '../router/state.ts'
import { PendingChanges } from './pending-changes.ts'
import { beginEvents, responseSink } from './response-sink.ts'

export interface PresenceView {
  /** Another person, as the caller sees them. */
  readonly show: (present: Present) => Present
  /** Whether the caller sees the comments of an attribute, by its stored name. */
  readonly showsComments: (attribute: string) => boolean
}

export interface PresenceChecks {
  /** Checks the rights of the caller. */
  readonly authorize: () => Promise<PresenceView>
  /** Whether the entry was written since the caller read it. Called once, after the stream follows changes. */
  readonly isOutdated: () => Promise<boolean>
}

export interface PresenceStreams {
  /**
   * Streams the other administrators with the entry open, and changes of the entry.
   * @throws ServiceUnavailableError
   */
  open(
    ctx: Context,
    person: Pick<PresentTab, 'id' | 'name'>,
    entry: WorkedOn,
    checks: PresenceChecks,
  ): Promise<void>
  endAll(): void
  /** Waits until the rows of all closed streams are deleted. */
  close(): Promise<void>
}

export interface PresenceStreamsOptions {
  readonly presence: Presence
  readonly changes: Pick<EntryChanges, 'watch'>
  readonly max?: number
  readonly maxPerPerson?: number
}

const HEARTBEAT_MS = 15_000
/** Changes within it share one check of the rights and one event of each kind. */
const CHANGES_PAUSE_MS = 500
const MAX_STREAMS = 1_000
const MAX_STREAMS_PER_PERSON = 20

export function openPresenceStreams({
  presence,
  changes,
  max = MAX_STREAMS,
  maxPerPerson = MAX_STREAMS_PER_PERSON,
}: PresenceStreamsOptions): PresenceStreams {
  const streams = new Set<PresenceStream>()
  const leaving = new Set<Promise<void>>()
  const shares = openAddressShares()
  let isEnded = false
  const close = (stream: PresenceStream, release: () => void): void => {
    release()
    streams.delete(stream)
    const left = stream.close().finally(() => leaving.delete(left))
    leaving.add(left)
  }
  return {
    open: async (ctx, person, entry, checks) => {
      if (isEnded || streams.size >= max || shares.of(person.id) >= maxPerPerson) {
        throw new ServiceUnavailableError('Too many streams at a time', {}, { code: 'overloaded' })
      }
      const release = shares.add(person.id)
      const who = { ...person, tab: createId() }
      const sink = responseSink(ctx.res)
      const parts = { presence, changes, who, entry, checks, sink }
      const stream = new PresenceStream(parts)
      streams.add(stream)
      ctx.res.once('close', () => close(stream, release))
      try {
        await stream.begin(() => {
          if (isEnded) throw new ServiceUnavailableError('The server is stopping')
          beginEvents(ctx)
        })
      } finally {
        if (hasLeft(ctx.res) || !stream.hasBegun()) close(stream, release)
      }
    },
    endAll: () => {
      isEnded = true
      for (const stream of streams) stream.end('shutdown')
    },
    close: async () => {
      await Promise.all(leaving)
    },
  }
}

interface StreamParts {
  readonly presence: Presence
  readonly changes: Pick<EntryChanges, 'watch'>
  readonly who: PresentTab
  readonly entry: WorkedOn
  readonly checks: PresenceChecks
  readonly sink: Sink
}

class PresenceStream {
  readonly #parts: StreamParts
  #rows: readonly PresenceRow[] = []
  #isChanged = false
  readonly #pending = new PendingChanges()
  /** Set while pending changes wait. */
  #pause: NodeJS.Timeout | undefined
  /** The rows of the last event, and the event. */
  #last = { seen: '', shown: '' }
  #isSending = false
  #hasBegun = false
  #isClosed = false
  #stop: () => void = () => undefined
  #noting: Promise<unknown> = Promise.resolve()

  constructor(parts: StreamParts) {
    this.#parts = parts
  }

  hasBegun(): boolean {
    return this.#hasBegun
  }

  /** `onBegin` runs before the first write, and can refuse it. @throws ServiceUnavailableError */
  async begin(onBegin: () => void): Promise<void> {
    const { presence, changes, who, entry, checks } = this.#parts
    const unwatch = presence.watch(entry, (rows) => this.#changed(rows))
    const unfollow = changes.watch(entry, (change) => {
      this.#pending.add(change)
      if (this.#pause === undefined) this.#changed(this.#rows)
    })
    const timer = setInterval(() => void this.#guarded(() => this.#beat()), HEARTBEAT_MS)
    timer.unref()
    this.#stop = () => {
      unwatch()
      unfollow()
      clearInterval(timer)
      clearTimeout(this.#pause)
    }
    await this.#note(() => presence.enter(who, entry))
    if (await checks.isOutdated()) this.#pending.add({ kind: 'entry', revision: null })
    if (this.#isClosed) return
    onBegin()
    this.#hasBegun = true
    this.#changed(this.#rows)
  }

  end(reason: EndReason): void {
    if (this.#hasBegun) this.#parts.sink.end(endEvent(reason))
  }

  /** Never fails: the row of a tab that could not leave expires. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stop()
    const { presence, who, entry } = this.#parts
    await this.#noting.catch(() => undefined) // a later write would restore the row
    await presence.leave(who, entry).catch(() => undefined)
  }

  async #note(write: () => Promise<unknown>): Promise<void> {
    this.#noting = write()
    await this.#noting
  }

  #changed(rows: readonly PresenceRow[]): void {
    this.#rows = rows
    this.#isChanged = true
    if (this.#hasBegun && !this.#isSending) void this.#guarded(() => this.#send())
  }

  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      if (!this.#isClosed) await work()
    } catch (error) {
      this.end(reasonOf(error))
    }
  }

  async #send(): Promise<void> {
    this.#isSending = true
    try {
      while (this.#isChanged) {
        this.#isChanged = false
        await this.#sendRows(this.#rows)
        await this.#sendPending()
      }
    } finally {
      this.#isSending = false
    }
  }

  async #sendRows(rows: readonly PresenceRow[]): Promise<void> {
    const { who, sink, checks } = this.#parts
    const others = othersIn(rows, who.id)
    const seen = JSON.stringify(others)
    if (seen === this.#last.seen) return
    await sink.drained()
    const { show } = await checks.authorize()
    const shown = JSON.stringify({ tab: who.tab, others: others.map(show) })
    if (shown !== this.#last.shown) sink.write(`data: ${shown}\n\n`)
    this.#last = { seen, shown }
  }

  async #sendPending(): Promise<void> {
    if (this.#pending.isEmpty() || this.#pause !== undefined) return
    const { sink, checks } = this.#parts
    await sink.drained()
    const { showsComments } = await checks.authorize()
    for (const change of this.#pending.take(showsComments))
      sink.write(`event: change\ndata: ${JSON.stringify(change)}\n\n`)
    this.#beginPause()
  }

  #beginPause(): void {
    if (this.#isClosed) return
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (!this.#pending.isEmpty()) this.#changed(this.#rows)
    }, CHANGES_PAUSE_MS)
    this.#pause.unref()
  }

  async #beat(): Promise<void> {
    const { presence, who, entry, sink } = this.#parts
    this.#last = { ...this.#last, seen: '' } // checks the rights, which can show other fields
    this.#changed(this.#rows)
    await this.#note(() => presence.enter(who, entry))
    if (!sink.isBehind()) sink.write(HEARTBEAT)
  }
}

function reasonOf(error: unknown): EndReason {
  if (error instanceof UnauthorizedError) return 'credentials'
  const isRefused = error instanceof ForbiddenError || error instanceof NotFoundError
  return isRefused ? 'permission' : 'error'
}
