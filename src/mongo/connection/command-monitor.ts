import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  CommandFailedEvent,
  CommandStartedEvent,
  CommandSucceededEvent,
  Document,
  MongoClient,
} from 'mongodb'
import type {
  CommandTally,
  MonitorMode,
  ObservedCommand,
  PoolState,
  ReadMonitor,
} from '../../base/observed.ts'
import { shapeOf } from './query-shape.ts'

export interface CommandMonitor extends ReadMonitor {
  readonly mode: MonitorMode
  /** Must be called before the client connects. */
  watch(client: MongoClient): void
  /**
   * Runs `work` and counts its commands in a tally. The tally is null unless the mode is `requests`.
   * `label` is read for each command, because the route is matched after the first ones.
   */
  tally<T>(work: (tally: CommandTally | null) => Promise<T>, label: () => string): Promise<T>
  /** The label of the current request, for the database's profiler. Undefined unless the mode is `requests`. */
  comment(): string | undefined
  observer(): Observer
  together<T>(observers: readonly Observer[], work: () => Promise<T>): Promise<T>
  onCommand(listener: (command: ObservedCommand) => void): void
  /** All connections to the database, except those for monitoring. */
  pool(): PoolState
  readonly cacheLoads: ReadonlyMap<string, number>
}

const KEPT_COMMANDS = 50

interface OpenTally extends CommandTally {
  readonly label: () => string
  readonly commands: ObservedCommand[]
  count: number
  busyMs: number
  underWay: number
  busySince: number
}

export type Observer = readonly OpenTally[]

const NOBODY: Observer = []

interface Started {
  readonly at: number
  readonly command: Document
  readonly observer: Observer
}

/** Shared, because on Node 20 each AsyncLocalStorage slows promises down and is never released (ADR 0024). */
const asker = new AsyncLocalStorage<Observer>()

export function createCommandMonitor(mode: MonitorMode): CommandMonitor {
  const listeners: ((command: ObservedCommand) => void)[] = []
  const pool = { size: 0, checkedOut: 0, waiting: 0 }
  const cacheLoads = new Map<string, number>()
  return {
    mode,
    watch: (client) => {
      watchPool(client, pool)
      if (mode !== 'off') watchCommands(client, listeners)
    },
    tally: (work, label) => {
      if (mode !== 'requests') return work(null)
      const tally = { label, commands: [], count: 0, busyMs: 0, underWay: 0, busySince: 0 }
      return asker.run([tally], work, tally)
    },
    comment: () => {
      if (mode !== 'requests') return undefined
      const [first, ...others] = asker.getStore() ?? NOBODY
      if (first === undefined) return undefined
      return others.length === 0 ? first.label() : `${first.label()} and ${others.length} more`
    },
    observer: () => asker.getStore() ?? NOBODY,
    together: (observers, work) =>
      mode === 'requests' ? asker.run([...new Set(observers.flat())], work) : work(),
    unobserved: (work) => (mode === 'requests' ? asker.run(NOBODY, work) : work()),
    onCommand: (listener) => {
      listeners.push(listener)
    },
    pool: () => ({ ...pool }),
    cacheLoads,
    countCacheLoad: (name) => {
      cacheLoads.set(name, (cacheLoads.get(name) ?? 0) + 1)
    },
  }
}

function watchCommands(
  client: MongoClient,
  listeners: readonly ((command: ObservedCommand) => void)[],
): void {
  const started = new Map<number, Started>()
  const onEnded = ({
    requestId,
    commandName,
  }: CommandSucceededEvent | CommandFailedEvent): void => {
    const start = started.get(requestId)
    if (start === undefined) return
    started.delete(requestId)
    const { at, command, observer } = start
    const now = performance.now()
    const shape = shapeOf(commandName, command)
    const observed = { name: commandName, ms: now - at, shape, command }
    for (const tally of observer) end(tally, observed, now)
    for (const listener of listeners) listener(observed)
  }
  client.on('commandStarted', ({ requestId, command }: CommandStartedEvent) => {
    const observer = asker.getStore() ?? NOBODY
    const at = performance.now()
    for (const tally of observer) begin(tally, at)
    started.set(requestId, { at, command, observer })
  })
  client.on('commandSucceeded', onEnded)
  client.on('commandFailed', onEnded)
}

function begin(tally: OpenTally, now: number): void {
  if (tally.underWay === 0) tally.busySince = now
  tally.underWay += 1
}

function end(tally: OpenTally, observed: ObservedCommand, now: number): void {
  tally.underWay -= 1
  if (tally.underWay === 0) tally.busyMs += now - tally.busySince
  tally.count += 1
  if (tally.commands.length < KEPT_COMMANDS) tally.commands.push(observed)
}

function watchPool(
  client: MongoClient,
  pool: { size: number; checkedOut: number; waiting: number },
): void {
  client.on('connectionCreated', () => (pool.size += 1))
  client.on('connectionClosed', () => (pool.size -= 1))
  client.on('connectionCheckOutStarted', () => (pool.waiting += 1))
  client.on('connectionCheckOutFailed', () => (pool.waiting -= 1))
  client.on('connectionCheckedOut', () => {
    pool.waiting -= 1
    pool.checkedOut += 1
  })
  client.on('connectionCheckedIn', () => (pool.checkedOut -= 1))
}
