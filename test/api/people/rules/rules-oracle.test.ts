import { expect } from 'chai'
import * as fc from 'fast-check'
import { modelRuns } from '../../../support/model-runs.ts'
import { probeOf } from './probes.ts'
import { Prober } from './prober.ts'
import { serveWorld } from './serve-world.ts'
import { SIZE, WORLD } from './world.ts'

const PROBES = modelRuns('RULE_PROBES', 150, 150)
/** The hard file probes random worlds. */
const SEED = 20_261_124

describe('reads under rules', () => {
  it('show exactly the entries and attributes of an interpreter of the rules', async () => {
    const [world] = fc.sample(WORLD, { numRuns: 1, seed: SEED })
    if (world === undefined) throw new Error('no world')
    const served = await serveWorld(world)
    try {
      const prober = new Prober(served)
      const property = fc.asyncProperty(probeOf(world.shapes, SIZE), (probe) => prober.probe(probe))
      await fc.assert(property, { numRuns: PROBES, seed: SEED })
      expect(Object.values(prober.counts).reduce((sum, count) => sum + count, 0)).to.be.above(
        PROBES,
      )
    } finally {
      await served.server.close()
    }
  })
})
