import type { Observing } from './gathered-reads.ts'
import { endedOrLate } from './share-runs.ts'

/**
 * Writes several things of one kind by one transaction: those that come in one turn of the event loop, and those that
 * come while one is under way. `write` stores all of them or none; false says that one of them was refused, and then each is to
 * be written by itself. Answers what `write` did.
 * @throws what `write` throws, to all of them
 */
export type GatherWrites = <T>(
  kind: string,
  item: T,
  write: (items: readonly T[]) => Promise<boolean>,
) => Promise<boolean>

/** Of one transaction, so that one that is refused makes few others come again. */
const MOST_ITEMS = 25
/** A transaction that takes longer, as one that waits for a lock, keeps nobody waiting: the next begins beside it. */
const LONGEST_WAIT_MS = 50

interface Waiting<Observer> {
  readonly item: unknown
  readonly observer: Observer | null
  readonly end: (isWritten: Promise<boolean>) => void
}

/** For one database. The commands count for all that share them where the monitor counts by request. */
export function gatherWrites<Observer>(monitor: Observing<Observer> | null): GatherWrites {
  /** What waits, of each kind of which something waits or is under way. */
  const byKind = new Map<string, Waiting<Observer>[]>()
  const writeAll = async (
    kind: string,
    write: (items: readonly never[]) => Promise<boolean>,
  ): Promise<void> => {
    const waiting = byKind.get(kind) ?? []
    while (waiting.length > 0) {
      const group = waiting.splice(0, MOST_ITEMS)
      const run = (): Promise<boolean> => write(group.map(({ item }) => item as never)) // of one kind all are written alike
      const observers = group.flatMap(({ observer }) => (observer === null ? [] : [observer]))
      const written = monitor === null ? run() : monitor.together(observers, run)
      for (const { end } of group) end(written)
      await endedOrLate(written, LONGEST_WAIT_MS)
    }
    byKind.delete(kind)
  }
  return (kind, item, write) =>
    new Promise((end) => {
      const added = { item, observer: monitor?.observer() ?? null, end }
      const waiting = byKind.get(kind)
      if (waiting !== undefined) {
        waiting.push(added)
        return
      }
      byKind.set(kind, [added])
      setImmediate(() => void writeAll(kind, write)) // after the requests of this turn were read
    })
}
