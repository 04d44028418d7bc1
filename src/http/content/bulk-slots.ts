import type { IncomingMessage } from 'node:http'
import { ServiceUnavailableError } from '../../base/errors.ts'

export interface BulkSlot {
  watch<T>(lines: AsyncIterable<T>): AsyncGenerator<T>
  /** Runs `work`. Its duration does not count as time spent waiting for the client. */
  run<T>(work: () => Promise<T>): Promise<T>
  leave(): void
}

export interface BulkSlots {
  take(request: IncomingMessage): BulkSlot
}

/** A client that sends no line for this time may lose its slot. */
const IDLE_MS = 5_000
/** Slots also close after total waits above this multiple of `idleMs` and this share of the request duration. */
const MAX_IDLE_PERIODS = 6
const MAX_WAITED_SHARE = 0.9

interface HeldSlot {
  readonly request: IncomingMessage
  /** The time of the last line or of the end of the last work, by `performance.now()`. */
  since: number
  running: number
  readonly begun: number
  waitedMs: number
}

export interface BulkSlotsOptions {
  readonly idleMs?: number
  readonly clock?: () => number
}

/** Each slot holds a database connection. If all are in use, a new request closes the one with the longest waits. */
export function openBulkSlots(
  most: number,
  { idleMs = IDLE_MS, clock = () => performance.now() }: BulkSlotsOptions = {},
): BulkSlots {
  const taken = new Set<HeldSlot>()
  const makeRoom = (): void => {
    const now = clock()
    const waited = (held: HeldSlot): number => held.waitedMs + now - held.since
    const isIdle = (held: HeldSlot): boolean =>
      now - held.since > idleMs ||
      (waited(held) > MAX_IDLE_PERIODS * idleMs &&
        waited(held) > MAX_WAITED_SHARE * (now - held.begun))
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
      const held: HeldSlot = { request, since: begun, running: 0, begun, waitedMs: 0 }
      taken.add(held)
      return slotOf(held, clock, () => taken.delete(held))
    },
  }
}

function slotOf(held: HeldSlot, clock: () => number, leave: () => void): BulkSlot {
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
