import * as fc from 'fast-check'
import { longRunSeeds, modelRuns } from '../../support/model-runs.ts'
import { type OutboxHistories, openHistories } from './outbox-history.ts'
import { openLocalHost, type OutboxHost } from './outbox-hosts.ts'
import { STEPS } from './outbox-steps.ts'

const RUNS = modelRuns('OUTBOX_RUNS', 4, 60)
/** A failure prints the seed of these histories. */
const HISTORIES_PER_SEED = 20
/** In a long run, one server works while the other one starts or waits. */
const LONG_RUN_HOSTS = 2

describe('devices with an outbox, and an editor', function () {
  const seeds = longRunSeeds()
  this.timeout(seeds === null ? 60_000 + RUNS * 60_000 : 0)
  let hosts: readonly OutboxHost[]
  let worlds: readonly OutboxHistories[]

  before(async () => {
    const names = Array.from({ length: seeds === null ? 1 : LONG_RUN_HOSTS }, (_, at) => `_${at}`)
    hosts = await Promise.all(names.map((name) => openLocalHost(`outbox_model${name}`)))
    worlds = await Promise.all(hosts.map(openHistories))
  })
  after(async () => {
    for (const world of worlds) await world.close()
    for (const host of hosts) await host.close()
  })

  it('end each change once, show it all the time, and converge', async () => {
    const assertHistories = (world: OutboxHistories, parameters: fc.Parameters<unknown>) =>
      fc.assert(
        fc.asyncProperty(STEPS, (steps) => world.run(steps)),
        parameters,
      )
    if (seeds === null) {
      for (const world of worlds) await assertHistories(world, { numRuns: RUNS })
      return
    }
    const done: number[] = []
    const work = async (world: OutboxHistories): Promise<void> => {
      for (const seed of seeds) {
        await assertHistories(world, { numRuns: HISTORIES_PER_SEED, seed })
        done.push(seed)
      }
    }
    await Promise.all(worlds.map(work))
    const [from, to] = [Math.min(...done), Math.max(...done)]
    const number = done.length * HISTORIES_PER_SEED
    process.stdout.write(`${number} histories, seeds ${from} to ${to}\n`)
  })
})
