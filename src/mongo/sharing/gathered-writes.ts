import { endedOrLate } from '../../base/share-by-key.ts'
import type { Observing } from './gathered-reads.ts'

/** Maximum per transaction, so that a rejected one repeats few items. */
const MAX_ITEMS = 25
/** If a transaction takes longer, for example because of a lock, the next one starts in parallel. */
const MAX_WAIT_MS = 50

interface Waiting<Observer> {
  readonly key: string
  readonly item: unknown
  readonly observer: Observer | null
  readonly end: (written: Promise<unknown>) => void
}

/** Creates `Database.gatherWrites`. The monitor counts a shared command for every caller. */
export function gatherWrites<Observer>(monitor: Observing<Observer> | null) {
  /** Waiting items by kind. A kind is present while it has waiting items or a running transaction. */
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
      const run = () => write(all.map(({ item }) => item as never)) // all writes of a kind have the same type
      const observers = all.flatMap(({ observer }) => (observer === null ? [] : [observer]))
      const written = monitor === null ? run() : monitor.together(observers, run)
      for (const [index, { end }] of all.entries()) end(written.then((each) => each[index] ?? null))
      await endedOrLate(written, MAX_WAIT_MS)
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
      setImmediate(() => void writeAll(kind, write)) // waits for the other requests of this event loop turn
    })
}

/** The first item of each key, up to `MAX_ITEMS`. */
function firstOf<Observer>(waiting: readonly Waiting<Observer>[]): ReadonlySet<Waiting<Observer>> {
  const byKey = new Map<string, Waiting<Observer>>()
  for (const each of waiting) {
    if (byKey.size >= MAX_ITEMS) break
    if (!byKey.has(each.key)) byKey.set(each.key, each)
  }
  return new Set(byKey.values())
}
