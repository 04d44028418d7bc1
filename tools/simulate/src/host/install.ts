import { syncBuiltinESMExports } from 'node:module'
import { explainError, type Simulation } from '../core/simulation.ts'
import type { Network } from './network.ts'
import { patchFiles } from './patch-files.ts'
import { patchIdentity } from './patch-identity.ts'
import { patchNetwork } from './patch-network.ts'
import { patchRandom } from './patch-random.ts'
import { patchTime } from './patch-time.ts'

interface Running {
  readonly simulation: Simulation
  readonly network: Network
}

let running: Running | null = null
let isInstalled = false

/** Must run before npm packages are loaded, because they may capture timers and random functions. */
export function installPatches(): void {
  if (isInstalled) return
  isInstalled = true
  const find = (): Simulation | null => running?.simulation ?? null
  const inProcess = (): Simulation | null => {
    const simulation = find()
    return simulation?.current ? simulation : null
  }
  patchTime(inProcess)
  patchRandom(inProcess)
  patchFiles(inProcess)
  patchIdentity(inProcess)
  patchNetwork(() => {
    const process = running?.simulation.current
    return running === null || !process ? null : { network: running.network, process }
  })
  syncBuiltinESMExports()
}

/** From now on, events of this simulation use virtual time and the network. */
export function enter(entered: Running): void {
  if (running !== null) throw new Error('another simulation runs in this process')
  running = entered
}

export function leave(): void {
  running = null
}

/** Reports unhandled rejections as violations, because they end a Node process. */
export function watchRejections(): void {
  const report = (error: unknown): void => {
    if (running === null) throw error
    const { simulation } = running
    const { current } = simulation
    if (current?.isAlive === true) {
      simulation.violate(`${current.name}: unhandled ${explainError(error)}`)
    }
  }
  process.on('unhandledRejection', report)
  process.on('uncaughtException', report)
}
