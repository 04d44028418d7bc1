import type { IncomingMessage } from 'node:http'
import { ServiceUnavailableError } from '../../errors.ts'

/** A bulk request that has a place among those that are carried out. */
export interface BulkPlace {
  /** Its lines, which say when it waits for its client. */
  watch<T>(lines: AsyncIterable<T>): AsyncGenerator<T>
  /** Carries lines out: it does not wait for its client meanwhile. */
  run<T>(work: () => Promise<T>): Promise<T>
  leave(): void
}

export interface BulkPlaces {
  /** @throws ServiceUnavailableError where all places are taken */
  take(request: IncomingMessage): BulkPlace
}

/** A client that has sent no line for so long gives its place to another. */
const IDLE_MS = 5_000
/** So does one that has made it wait this many times as long, and for most of the time that it has held it. */
const MOST_IDLES = 6
const MOST_WAITED = 0.9

interface Held {
  readonly request: IncomingMessage
  /** By `performance.now()`: since when no line has come, and none is carried out. */
  since: number
  running: number
  /** By the clock: when it came. */
  readonly begun: number
  /** Until `since`: how long it has kept its place without work. */
  waitedMs: number
}

export interface BulkPlacesOptions {
  readonly idleMs?: number
  /** In milliseconds. */
  readonly clock?: () => number
}

/**
 * Bounds the concurrent bulk requests, each of which keeps a connection to the database busy. A silent client keeps no
 * other out, nor does one that sends a line now and then: a new request closes the connection of the one that has made
 * its place wait longest.
 */
export function openBulkPlaces(
  most: number,
  { idleMs = IDLE_MS, clock = () => performance.now() }: BulkPlacesOptions = {},
): BulkPlaces {
  const taken = new Set<Held>()
  const makeRoom = (): void => {
    const now = clock()
    const waited = (held: Held): number => held.waitedMs + now - held.since
    const isIdle = (held: Held): boolean =>
      now - held.since > idleMs ||
      (waited(held) > MOST_IDLES * idleMs && waited(held) > MOST_WAITED * (now - held.begun))
    const idle = [...taken].filter((held) => held.running === 0 && isIdle(held))
    const [silent] = idle.toSorted((one, other) => waited(other) - waited(one))
    if (silent === undefined) throw overloaded('Too many bulk requests at a time')
    taken.delete(silent)
    silent.request.destroy(overloaded('No line arrived for long while other requests wait'))
  }
  return {
    take: (request) => {
      if (taken.size >= most) makeRoom()
      const begun = clock()
      const held: Held = { request, since: begun, running: 0, begun, waitedMs: 0 }
      taken.add(held)
      return placeOf(held, clock, () => taken.delete(held))
    },
  }
}

function placeOf(held: Held, clock: () => number, leave: () => void): BulkPlace {
  const endWait = (): void => {
    const now = clock()
    if (held.running === 0) held.waitedMs += now - held.since
    held.since = now
  }
  return {
    watch: async function* (lines) {
      for await (const line of lines) {
        endWait()
        yield line
      }
    },
    run: async (work) => {
      endWait()
      held.running += 1
      try {
        return await work()
      } finally {
        held.running -= 1
        held.since = clock()
      }
    },
    leave,
  }
}

function overloaded(message: string): ServiceUnavailableError {
  return new ServiceUnavailableError(message, {}, { code: 'overloaded' })
}
