import { AsyncResource } from 'node:async_hooks'

type Listener<Row> = (rows: readonly Row[]) => void

export interface WatchedPresence<Row> {
  watch(entry: string, listener: Listener<Row>): () => void
  has(entry: string): boolean
  /** Reads the rows of an entry now and reports them to its listeners. */
  refresh(entry: string): Promise<readonly Row[]>
}

interface WatchedEntry<Row> {
  readonly listeners: Set<Listener<Row>>
  /** When the read of the reported rows began, in ms. */
  readAt: number
}

/** Less than a second, so that a change arrives within two, with the delay of the browser. */
const LOOK_MS = 900

/**
 * Follows rows that other processes write. All watched entries share one query per interval, and
 * without watched entries there is none.
 */
export function openWatchedPresence<Row extends { readonly entry: string }>(
  findRows: (entries: readonly string[]) => Promise<readonly Row[]>,
): WatchedPresence<Row> {
  const entries = new Map<string, WatchedEntry<Row>>()
  const report = (entry: string, rows: readonly Row[], readAt: number): void => {
    const watched = entries.get(entry)
    // A read that began later has newer rows.
    if (watched === undefined || readAt < watched.readAt) return
    watched.readAt = readAt
    for (const listener of watched.listeners) listener(rows)
  }
  const look = async (): Promise<void> => {
    const found = new Map([...entries.keys()].map((entry): [string, Row[]] => [entry, []]))
    const readAt = performance.now()
    for (const row of await findRows([...found.keys()])) found.get(row.entry)?.push(row)
    for (const [entry, rows] of found) report(entry, rows, readAt)
  }
  const looking = openTimer(look, () => entries.size > 0)
  return {
    watch: (entry, listener) => {
      const watched = entries.get(entry) ?? { listeners: new Set(), readAt: 0 }
      entries.set(entry, watched)
      watched.listeners.add(listener)
      looking.begin()
      return () => {
        watched.listeners.delete(listener)
        if (watched.listeners.size === 0 && entries.get(entry) === watched) entries.delete(entry)
      }
    },
    has: (entry) => entries.has(entry),
    refresh: async (entry) => {
      const readAt = performance.now()
      const rows = await findRows([entry])
      report(entry, rows, readAt)
      return rows
    },
  }
}

/** Runs `look` in intervals until `isWanted` is false. */
function openTimer(look: () => Promise<void>, isWanted: () => boolean): { begin(): void } {
  let isRunning = false
  // Detaches the reads from the context of the request that has begun them.
  const plan = AsyncResource.bind((): void => {
    setTimeout(() => {
      isRunning = false
      if (!isWanted()) return
      isRunning = true
      // The next look follows a failed one.
      void look()
        .catch(() => undefined)
        .then(plan)
    }, LOOK_MS).unref()
  })
  return {
    begin: () => {
      if (!isRunning) plan()
      isRunning = true
    },
  }
}
