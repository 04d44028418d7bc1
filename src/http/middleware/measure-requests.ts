import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { MonitorMode, ObservedCommand, PoolState } from '../../base/observed.ts'
import type { FinishedRequest } from './observe-requests.ts'

export interface MeasuredDatabase {
  /** The level of command monitoring. Metrics that it does not cover are omitted instead of reported as 0. */
  readonly mode: MonitorMode
  onCommand(listener: (command: ObservedCommand) => void): void
  pool(): PoolState
  readonly cacheLoads: ReadonlyMap<string, number>
}

export interface Metrics {
  readonly registry: Registry
  readonly measure: (finished: FinishedRequest) => void
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const COMMANDS = [0, 1, 2, 3, 4, 6, 8, 12, 20, 50, 100]

/** A separate registry, so that two servers can share a process. Every label has few values. */
export function createMetrics(database: MeasuredDatabase): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'quire_http_request_duration_seconds',
    help: 'How long requests took, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  measurePool(database, registers)
  measureCaches(database, registers)
  if (database.mode !== 'off') measureCommands(database, registers)
  const perRequest = database.mode === 'requests' ? commandsPerRequest(registers) : null
  return {
    registry,
    measure: ({ method, route, status, ms, tally }) => {
      durations.observe({ method, route, status }, ms / 1000)
      if (tally !== null) perRequest?.observe({ method, route }, tally.count)
    },
  }
}

function commandsPerRequest(registers: Registry[]): Histogram<'method' | 'route'> {
  return new Histogram({
    name: 'quire_http_request_database_commands',
    help: 'How many commands to the database requests took, by method and route',
    labelNames: ['method', 'route'],
    buckets: COMMANDS,
    registers,
  })
}

function measureCommands(database: MeasuredDatabase, registers: Registry[]): void {
  const durations = new Histogram({
    name: 'quire_database_command_duration_seconds',
    help: 'How long the database took to answer commands, by the name of the command',
    labelNames: ['command'],
    buckets: SECONDS,
    registers,
  })
  database.onCommand(({ name, ms }) => {
    durations.observe({ command: name }, ms / 1000)
  })
}

function measurePool(database: MeasuredDatabase, registers: Registry[]): void {
  const gauges = [
    ['size', 'Open connections to the database'],
    ['checkedOut', 'Connections to the database that are in use'],
    ['waiting', 'Commands that wait for a connection to the database'],
  ] as const
  for (const [member, help] of gauges) {
    const gauge: Gauge = new Gauge({
      name: `quire_database_pool_${member === 'checkedOut' ? 'checked_out' : member}`,
      help,
      registers,
      collect: () => {
        gauge.set(database.pool()[member])
      },
    })
  }
}

function measureCaches({ cacheLoads }: MeasuredDatabase, registers: Registry[]): void {
  const loads = new Counter({
    name: 'quire_cache_loads_total',
    help: 'Reloads of copies in the process from the database, by kind',
    labelNames: ['cache'],
    registers,
    collect: () => {
      loads.reset()
      for (const [cache, count] of cacheLoads) loads.inc({ cache }, count)
    },
  })
}
