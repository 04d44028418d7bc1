import type { Observing } from './gathered-reads.ts'
import { endedOrLate } from './share-runs.ts'

/**
 * Writes several things of one kind by one transaction: those that come in one turn of the event loop, and those that
 * come while one is under way; never two of the same key. `write` answers what became of each. Null: nothing was written
 * of it, it is to be written by itself.
 * @throws what `write` throws, to all of them
 */
export type GatherWrites = <T, R>(
  kind: string,
  key: string,
  item: T,
  write: (items: readonly T[]) => Promise<readonly (R | null)[]>,
) => Promise<R | null>

/** Of one transaction, so that one that is refused makes few others come again. */
const MOST_ITEMS = 25
/** A transaction that takes longer, as one that waits for a lock, keeps nobody waiting: the next begins beside it. */
const LONGEST_WAIT_MS = 50

interface Waiting<Observer> {
  readonly key: string
  readonly item: unknown
  readonly observer: Observer | null
  readonly end: (written: Promise<unknown>) => void
}

/** For one database. The commands count for all that share them where the monitor counts by request. */
export function gatherWrites<Observer>(monitor: Observing<Observer> | null): GatherWrites {
  /** What waits, of each kind of which something waits or is under way. */
  const byKind = new Map<string, readonly Waiting<Observer>[]>()
  const writeAll = async (
    kind: string,
    write: (items: readonly never[]) => Promise<readonly unknown[]>,
  ): Promise<void> => {
    for (
      let waiting = byKind.get(kind) ?? [];
      waiting.length > 0;
      waiting = byKind.get(kind) ?? []
    ) {
      const group = firstOf(waiting)
      byKind.set(
        kind,
        waiting.filter((each) => !group.has(each)),
      )
      const all = [...group]
      const run = () => write(all.map(({ item }) => item as never)) // of one kind all are written alike
      const observers = all.flatMap(({ observer }) => (observer === null ? [] : [observer]))
      const written = monitor === null ? run() : monitor.together(observers, run)
      for (const [index, { end }] of all.entries()) end(written.then((each) => each[index] ?? null))
      await endedOrLate(written, LONGEST_WAIT_MS)
    }
    byKind.delete(kind)
  }
  return <T, R>(
    kind: string,
    key: string,
    item: T,
    write: (items: readonly T[]) => Promise<readonly (R | null)[]>,
  ) =>
    new Promise<R | null>((end) => {
      const observer = monitor?.observer() ?? null
      const added = { key, item, observer, end: end as Waiting<Observer>['end'] }
      const waiting = byKind.get(kind)
      byKind.set(kind, [...(waiting ?? []), added])
      if (waiting !== undefined) return
      setImmediate(() => void writeAll(kind, write)) // after the requests of this turn were read
    })
}

/** As many as go together. */
function firstOf<Observer>(waiting: readonly Waiting<Observer>[]): ReadonlySet<Waiting<Observer>> {
  const byKey = new Map<string, Waiting<Observer>>()
  for (const each of waiting) {
    if (byKey.size >= MOST_ITEMS) break
    if (!byKey.has(each.key)) byKey.set(each.key, each)
  }
  return new Set(byKey.values())
}
