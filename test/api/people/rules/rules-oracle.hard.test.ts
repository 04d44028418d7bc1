import { expect } from 'chai'
import { longRunSeeds, modelRuns } from '../../../support/model-runs.ts'
import { addCounts, probeWorlds } from './probe-worlds.ts'

const PROBES = modelRuns('RULE_PROBES', 4_000, 4_000)
const SEED = 20_261_124
const PER_WORLD = 400
/** A new world takes as long as 150 probes. */
const PER_WORLD_IN_LONG_RUN = 1_500

describe('reads under rules, in many worlds', () => {
  it('show exactly the entries and attributes of an interpreter of the rules', async function () {
    const seeds = longRunSeeds()
    this.timeout(seeds === null ? Math.max(300_000, PROBES * 100) : 0)
    const counts =
      seeds === null
        ? await probeWorlds({ probes: PROBES, perWorld: PER_WORLD, seed: SEED })
        : await probeSeeds(seeds)
    const enough = seeds === null ? PROBES / 100 : 1
    for (const key of [
      'list 200',
      'list 400',
      'list 403',
      'entry 200',
      'entry 404',
      'search 200',
    ]) {
      expect(counts[key], key).to.be.above(enough)
    }
  })
})

async function probeSeeds(seeds: Iterable<number>): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const done: number[] = []
  const probes = PER_WORLD_IN_LONG_RUN
  for (const seed of seeds) {
    addCounts(counts, await probeWorlds({ probes, perWorld: probes, seed }))
    done.push(seed)
  }
  const summary = `${done.length * probes} probes, seeds ${done[0]} to ${done.at(-1)}`
  process.stdout.write(`${summary}: ${JSON.stringify(counts)}\n`)
  return counts
}
