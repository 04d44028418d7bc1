/** Attributes a shared command to the requests that it serves. */
export interface Observing<Observer> {
  observer(): Observer
  together<T>(observers: readonly Observer[], work: () => Promise<T>): Promise<T>
}

type Read<T> = (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>

interface Group<Observer> {
  readonly keys: Set<string>
  readonly observers: Observer[]
  readonly found: Promise<ReadonlyMap<string, unknown>>
}

/** Maximum per command, so that one large document delays few readers. */
const MAX_KEYS = 50

/** Creates `Database.gather`. The monitor counts a shared command for every caller. */
export function gatherReads<Observer>(monitor: Observing<Observer> | null) {
  const open = new Map<string, Group<Observer>>()
  const begin = <T>(kind: string, read: Read<T>): Group<Observer> => {
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
  const gather = async <T>(kind: string, key: string, read: Read<T>): Promise<T | undefined> => {
    const last = open.get(kind)
    const group = last === undefined || last.keys.size >= MAX_KEYS ? begin(kind, read) : last
    group.keys.add(key)
    if (monitor !== null) group.observers.push(monitor.observer())
    return (await group.found).get(key) as T | undefined // all reads of a kind have the same type
  }
  return gather
}
