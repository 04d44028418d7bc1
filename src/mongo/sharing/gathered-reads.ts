/**
 * Reads a value by its key. Calls of the same `kind` in one turn of the event loop share one command: `read` gets all of
 * their keys, without repetition, and returns the values by key. The command is sent after the last call, so that no value
 * is older than its call. Undefined where nothing was found.
 * @throws what `read` throws, to all callers
 */
export type GatherReads = <T>(
  kind: string,
  key: string,
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
) => Promise<T | undefined>

/** Knows for whom a command is counted, such as the monitor of commands. */
export interface Observing<Observer> {
  observer(): Observer
  together<T>(observers: readonly Observer[], work: () => Promise<T>): Promise<T>
}

interface Group<Observer> {
  readonly keys: Set<string>
  readonly observers: Observer[]
  readonly found: Promise<ReadonlyMap<string, unknown>>
}

/** Of one command, so that one large document keeps few others waiting. */
const MOST_KEYS = 50

/** For one database. The commands count for all that share them where the monitor counts by request. */
export function gatherReads<Observer>(monitor: Observing<Observer> | null): GatherReads {
  const open = new Map<string, Group<Observer>>()
  const begin = <T>(kind: string, read: Parameters<typeof gather<T>>[2]): Group<Observer> => {
    const keys = new Set<string>()
    const observers: Observer[] = []
    const turn = new Promise<void>((resolve) => {
      setImmediate(resolve) // after the requests of this turn were read from their sockets
    })
    const found = turn.then(() => {
      if (open.get(kind) === group) open.delete(kind)
      const run = (): Promise<ReadonlyMap<string, T>> => read([...keys])
      return monitor === null ? run() : monitor.together(observers, run)
    })
    const group: Group<Observer> = { keys, observers, found }
    open.set(kind, group)
    return group
  }
  const gather: GatherReads = async <T>(
    kind: string,
    key: string,
    read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ) => {
    const last = open.get(kind)
    const group = last === undefined || last.keys.size >= MOST_KEYS ? begin(kind, read) : last
    group.keys.add(key)
    if (monitor !== null) group.observers.push(monitor.observer())
    return (await group.found).get(key) as T | undefined // of one kind all are read alike
  }
  return gather
}
