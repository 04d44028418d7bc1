import { setTimeout as delay } from 'node:timers/promises'
import type { ChangeStream } from 'mongodb'
import type { Database } from '../connection/database.ts'
import type { ResumeToken } from './change-streams.ts'

/** An event of a change stream, without the document. */
export interface ForeignEvent {
  readonly _id: ResumeToken
  readonly operationType: string
  readonly ns?: { readonly coll?: string }
  /** The new name of a renamed collection. */
  readonly to?: { readonly coll?: string }
  readonly documentKey?: { readonly _id: unknown }
  readonly clusterTime?: { readonly t: number }
  readonly wallTime?: Date
}

export interface ForeignBatch {
  /** Empty if there was none for a second. */
  readonly events: readonly ForeignEvent[]
  /** The stream can be resumed after these events. */
  readonly token: ResumeToken
}

export interface ForeignStream {
  next(): Promise<ForeignBatch>
  close(): Promise<void>
}

const MAX_EVENTS = 500
const AWAIT_MS = 1_000
/** Events of a burst share a commit. */
const PAUSE_MS = 10
const MAX_GATHER_MS = 50
const MEMBERS = ['operationType', 'ns', 'to', 'documentKey', 'clusterTime', 'wallTime'] as const

/** One stream for all collections of the database that are named. */
export function openForeignStream(
  database: Pick<Database, 'watch'>,
  collections: readonly string[],
  resumeAfter: ResumeToken,
): ForeignStream {
  const named = { $in: [...collections] }
  const pipeline = [
    { $match: { $or: [{ 'ns.coll': named }, { 'to.coll': named }] } },
    { $project: Object.fromEntries(MEMBERS.map((name) => [name, 1])) },
  ]
  const options = { resumeAfter, maxAwaitTimeMS: AWAIT_MS, batchSize: MAX_EVENTS }
  return new GatheredStream(database.watch(pipeline, options), resumeAfter)
}

const PAUSE = Symbol('pause')

class GatheredStream implements ForeignStream {
  readonly #stream: ChangeStream
  #token: ResumeToken
  #pending: Promise<ForeignEvent | null> | null = null

  constructor(stream: ChangeStream, token: ResumeToken) {
    this.#stream = stream
    this.#token = token
  }

  async next(): Promise<ForeignBatch> {
    const events: ForeignEvent[] = []
    let found = await this.#take()
    const endsAt = performance.now() + MAX_GATHER_MS
    while (found !== null) {
      events.push(found)
      this.#token = found._id
      if (events.length === MAX_EVENTS || performance.now() > endsAt) break
      const more = await Promise.race([this.#peek(), delay(PAUSE_MS, PAUSE)])
      if (more === PAUSE || more === null) break
      found = await this.#take()
    }
    if (events.length === 0)
      this.#token = (this.#stream.resumeToken as ResumeToken | null) ?? this.#token
    return { events, token: this.#token }
  }

  async close(): Promise<void> {
    await this.#stream.close()
    await this.#pending?.catch(() => null)
  }

  #peek(): Promise<ForeignEvent | null> {
    if (this.#pending === null) {
      this.#pending = this.#stream.tryNext() as Promise<ForeignEvent | null>
      this.#pending.catch(() => undefined) // thrown by the next `take`
    }
    return this.#pending
  }

  async #take(): Promise<ForeignEvent | null> {
    const taken = await this.#peek()
    this.#pending = null
    return taken
  }
}
