import { expect } from 'chai'
import * as fc from 'fast-check'
import { modelRuns } from '../../../support/model-runs.ts'
import { EditorProber } from './editor-prober.ts'
import { serveWorld } from './serve-world.ts'
import { WORLD } from './world.ts'

/** A world takes about as long as this number of probes. */
const PROBES_PER_WORLD = 400
const WORLDS = Math.ceil(modelRuns('RULE_PROBES', 400, 4_000) / PROBES_PER_WORLD)
const SEED = 20_261_128

describe('doors of administrators under rules', () => {
  it('show exactly the entries of an interpreter of the rules, and no hidden text', async function () {
    this.timeout(Math.max(180_000, WORLDS * 60_000))
    const counts: Record<string, number> = {}
    for (const [index, world] of fc.sample(WORLD, { numRuns: WORLDS, seed: SEED }).entries()) {
      const served = await serveWorld(world)
      try {
        const prober = await EditorProber.of(served, world)
        await prober.probeAll()
        for (const [key, count] of Object.entries(prober.counts)) {
          counts[key] = (counts[key] ?? 0) + count
        }
      } catch (error) {
        throw new Error(`seed ${SEED}, world ${index}: ${String(error)}`, { cause: error })
      } finally {
        await served.server.close()
      }
    }
    for (const key of ['content 200', 'content 404', 'history 200', 'trash 200']) {
      expect(counts[key], JSON.stringify(counts)).to.be.above(0)
    }
  })
})
