/**
 * Reads a value by key. Calls of the same `kind` in one event loop turn share a command. `read`
 * receives the distinct keys and returns the values by key. It runs after the last call, so a value
 * is never older than its call. Resolves to undefined if the key has no value.
 * @throws any error of `read`, to all callers
 */
export type GatherReads = <T>(
  kind: string,
  key: string,
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
) => Promise<T | undefined>

/** Attributes a shared command to the requests that it serves. */
export interface Observing<Observer> {
  observer(): Observer
  together<T>(observers: readonly Observer[], work: () => Promise<T>): Promise<T>
}

interface Group<Observer> {
  readonly keys: Set<string>
  readonly observers: Observer[]
  readonly found: Promise<ReadonlyMap<string, unknown>>
}

/** Maximum per command, so that one large document delays few readers. */
const MOST_KEYS = 50

/** Creates the function for one database. The monitor counts a shared command for every caller. */
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
    return (await group.found).get(key) as T | undefined // all reads of a kind have the same type
  }
  return gather
}
