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

interface Held {
  readonly request: IncomingMessage
  /** By `performance.now()`: since when no line has come, and none is carried out. */
  since: number
  running: number
}

/**
 * Bounds the concurrent bulk requests, each of which keeps a connection to the database busy. A silent client keeps no
 * other out: a new request closes the connection of the one that has been silent longest.
 */
export function openBulkPlaces(most: number, idleMs = IDLE_MS): BulkPlaces {
  const taken = new Set<Held>()
  const makeRoom = (): void => {
    const now = performance.now()
    const idle = [...taken].filter(({ running, since }) => running === 0 && now - since > idleMs)
    const [silent] = idle.toSorted((one, other) => one.since - other.since)
    if (silent === undefined) throw overloaded('Too many bulk requests at a time')
    taken.delete(silent)
    silent.request.destroy(overloaded('No line has come for long, and others wait'))
  }
  return {
    take: (request) => {
      if (taken.size >= most) makeRoom()
      const held: Held = { request, since: performance.now(), running: 0 }
      taken.add(held)
      return placeOf(held, () => taken.delete(held))
    },
  }
}

function placeOf(held: Held, leave: () => void): BulkPlace {
  return {
    watch: async function* (lines) {
      for await (const line of lines) {
        held.since = performance.now()
        yield line
      }
    },
    run: async (work) => {
      held.running += 1
      try {
        return await work()
      } finally {
        held.running -= 1
        held.since = performance.now()
      }
    },
    leave,
  }
}

function overloaded(message: string): ServiceUnavailableError {
  return new ServiceUnavailableError(message, {}, { code: 'overloaded' })
}
