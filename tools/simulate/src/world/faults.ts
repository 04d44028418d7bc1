import type { FaultyDisk } from '../host/faulty-disk.ts'
import type { Network } from '../host/network.ts'
import type { Simulation } from '../core/simulation.ts'
import { type Slot, WORLD } from './slot.ts'

export interface FaultTargets {
  readonly simulation: Simulation
  readonly network: Network
  readonly disk: FaultyDisk
  readonly engine: Slot
  readonly servers: readonly Slot[]
  readonly clients: readonly Slot[]
  /** Copies the files of a killed engine and starts it again. */
  readonly restartEngine: () => void
  readonly holdMajority: (how: 'begin' | 'end' | 'rollBack') => void
}

type Fault = (targets: FaultTargets) => string

const SECOND = 1_000_000

const FAULTS: Readonly<Record<string, Fault>> = {
  killServer: ({ simulation, servers }) => {
    const { random } = simulation
    const slot = random.pick(servers)
    slot.kill()
    later(simulation, random.between(SECOND / 10, 4 * SECOND), () => slot.start())
    return slot.name
  },
  killEngine: ({ simulation, engine, restartEngine }) => {
    engine.kill()
    later(simulation, simulation.random.between(SECOND / 10, 3 * SECOND), restartEngine)
    return engine.name
  },
  killClient: ({ simulation, clients }) => {
    const { random } = simulation
    const slot = random.pick(clients)
    slot.kill()
    later(simulation, random.between(SECOND / 10, 4 * SECOND), () => slot.start())
    return slot.name
  },
  pause: ({ simulation, servers, engine }) => {
    const { random } = simulation
    const { name, process } = random.pick([...servers, engine])
    const us = random.between(SECOND / 10, random.chance(0.2) ? 12 * SECOND : 2 * SECOND)
    simulation.pause(process)
    later(simulation, us, () => simulation.resume(process))
    return `${name} for ${us} µs`
  },
  cut: (targets) => {
    const [one, other] = pickPair(targets)
    return `${one} ${other}: ${targets.network.cut(one, other)} connections`
  },
  stall: (targets) => changeWeather(targets, 'stalled'),
  refuse: (targets) => {
    const { simulation, network } = targets
    const [one, other] = pickPair(targets)
    network.setWeather(one, other, 'refused')
    const cut = network.cut(one, other)
    later(simulation, simulation.random.between(SECOND / 10, 5 * SECOND), () =>
      network.setWeather(one, other, 'fair'),
    )
    return `${one} ${other}: ${cut} connections`
  },
  jumpClock: ({ simulation, servers }) => {
    const { random } = simulation
    const { name, process } = random.pick(servers)
    const ms = random.pick([-60_000, -5_000, -500, 500, 5_000, 60_000, 600_000])
    process.clockOffsetMs += ms
    return `${name} by ${ms} ms`
  },
  fillDisk: ({ simulation, disk }) => {
    disk.isFull = true
    later(simulation, simulation.random.between(SECOND / 10, 5 * SECOND), () => {
      disk.isFull = false
    })
    return ''
  },
  failSync: ({ simulation, disk }) => {
    disk.failingSyncs = simulation.random.between(1, 3)
    return `${disk.failingSyncs} times`
  },
  stepDown: ({ simulation, holdMajority }) => {
    const { random } = simulation
    holdMajority('begin')
    const how = random.chance(0.7) ? 'rollBack' : 'end'
    later(simulation, random.between(SECOND / 100, 2 * SECOND), () => holdMajority(how))
    return how
  },
}

const KINDS = Object.keys(FAULTS)

function later(simulation: Simulation, us: number, run: () => void): void {
  simulation.after(WORLD, us, 'fault ends', run)
}

/** The engine and a server, or a server and a client. */
function pickPair(targets: FaultTargets): readonly [string, string] {
  const { random } = targets.simulation
  const server = random.pick(targets.servers).name
  const other = random.chance(0.6) ? targets.engine.name : random.pick(targets.clients).name
  return [server, other]
}

function changeWeather(targets: FaultTargets, weather: 'stalled'): string {
  const { simulation, network } = targets
  const [one, other] = pickPair(targets)
  network.setWeather(one, other, weather)
  const us = simulation.random.between(SECOND / 10, 5 * SECOND)
  later(simulation, us, () => network.setWeather(one, other, 'fair'))
  return `${one} ${other} for ${us} µs`
}

const MAX_PAUSE_US = 3 * SECOND

/** Each seed uses some kinds of faults, so that rare combinations occur in some seeds. */
export function startFaults(
  targets: FaultTargets,
  until: number,
  given: readonly string[] | null,
): void {
  const { simulation } = targets
  const { random } = simulation
  const chosen = KINDS.filter(() => random.chance(0.4))
  const kinds = given ?? chosen
  simulation.note(`faults: ${kinds.join(', ') || 'none'}`)
  if (kinds.length === 0) return
  const next = (): void => {
    simulation.after(WORLD, random.between(SECOND / 20, MAX_PAUSE_US), 'fault', () => {
      if (simulation.now > until) return
      const kind = random.pick(kinds)
      const fault = FAULTS[kind]
      if (fault !== undefined) simulation.note(`FAULT ${kind} ${fault(targets)}`)
      next()
    })
  }
  next()
}

/** Ends all faults. Dead processes start again. */
export function calm(targets: FaultTargets): void {
  const { simulation, network, disk, engine, servers, clients } = targets
  disk.isFull = false
  disk.failingSyncs = 0
  targets.holdMajority('end')
  for (const slot of [engine, ...servers, ...clients]) {
    slot.process.clockOffsetMs = 0
    if (slot.process.isPaused) simulation.resume(slot.process)
  }
  const names = [engine, ...servers, ...clients].map(({ name }) => name)
  for (const one of names) for (const other of names) network.setWeather(one, other, 'fair')
  if (!engine.process.isAlive) targets.restartEngine()
  for (const slot of [...servers, ...clients]) slot.start()
}
