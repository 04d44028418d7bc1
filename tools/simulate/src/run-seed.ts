import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkDevice, checkLeases, checkLog, checkWebhooks } from './checks/check-audit.ts'
import { compareThings } from './checks/compare-things.ts'
import { Simulation, type Violation } from './core/simulation.ts'
import { Trace } from './core/trace.ts'
import { openFaultyDisk } from './host/faulty-disk.ts'
import { enter, leave } from './host/install.ts'
import { openDriverReset, openIdReset } from './host/reset-driver.ts'
import { Network } from './host/network.ts'
import { CONTENT_TYPES } from './world/content-types.ts'
import { calm, startFaults } from './world/faults.ts'
import type { Programs } from './world/programs.ts'
import { World } from './world/world.ts'
import { WORLD } from './world/slot.ts'

export interface SeedResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly trace: Trace
}

export interface SeedOptions {
  readonly keepTrace?: boolean
  /** The kinds of faults. Null: the seed decides. */
  readonly kinds?: readonly string[] | null
}

const SECOND = 1_000_000
/** A run in virtual time: faults, then calm, then the checks. */
const FAULTS_END = 44 * SECOND
const EDITS_END = 48 * SECOND
const DEVICES_END = 54 * SECOND
const AUDIT = 58 * SECOND
const END = 60 * SECOND

const resetDriver = openDriverReset()
const resetIds = openIdReset()

/** Runs 60 simulated seconds. */
export async function runSeed(
  seed: number,
  programs: Programs,
  { keepTrace = false, kinds = null }: SeedOptions = {},
): Promise<SeedResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-simulate-'))
  writeContentTypes(path.join(folder, 'types'))
  const simulation = new Simulation(seed, new Trace(keepTrace))
  const network = new Network(simulation)
  const disk = openFaultyDisk()
  resetIds()
  enter({ simulation, network })
  try {
    const world = new World({ simulation, network, disk, programs, folder, resetDriver })
    plan(world, kinds)
    await simulation.run(END)
    if (simulation.violations.length === 0) check(world)
  } finally {
    leave()
    await disk.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { seed, violations: simulation.violations, trace: simulation.trace }
}

function plan(world: World, kinds: readonly string[] | null): void {
  const { simulation, network, disk } = world.options
  const at = (time: number, label: string, run: () => void): void => {
    simulation.at(WORLD, time, label, run)
  }
  let faults: Parameters<typeof calm>[0] | null = null
  at(0, 'begin', () =>
    world.start(() => {
      faults = {
        simulation,
        network,
        disk,
        engine: world.engine,
        servers: world.servers,
        clients: world.clients,
        restartEngine: () => world.restartEngine(),
        holdMajority: (how) => world.holdMajority(how),
      }
      startFaults(faults, FAULTS_END - 5 * SECOND, kinds)
    }),
  )
  at(FAULTS_END, 'calm', () => {
    if (faults === null) simulation.violate('the servers did not start')
    else calm(faults)
  })
  at(EDITS_END, 'edits end', () => {
    world.isOver = true
  })
  at(DEVICES_END, 'devices end', () => world.finishDevices())
  at(AUDIT, 'audit', () => world.startAudit())
}

function check(world: World): void {
  const { simulation } = world.options
  const { audit } = world
  if (audit === null) {
    simulation.violate('the audit did not end')
    return
  }
  const faults = [
    ...compareThings(audit.things, world.documents.flat()),
    ...checkLog(audit, { 'api::thing.thing': audit.things, 'api::tag.tag': audit.tags }),
    ...world.findings.flatMap(({ name, status, rows }) =>
      rows === null ? [`${name} did not end`] : checkDevice(name, rows, status, audit),
    ),
    ...checkWebhooks(audit, world.received),
    ...checkLeases(audit, simulation.startMs + AUDIT / 1000),
  ]
  for (const fault of faults) simulation.violate(fault)
}

function writeContentTypes(folder: string): void {
  for (const [name, declaration] of Object.entries(CONTENT_TYPES)) {
    const file = path.join(folder, `${name}.json`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(declaration))
  }
}
