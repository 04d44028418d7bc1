import { expect } from 'chai'
import { modelRuns } from '../../../support/model-runs.ts'
import { probeWorlds } from './probe-worlds.ts'

const PROBES = modelRuns('RULE_PROBES', 4_000, 4_000)
/** Runs without `RULE_PROBES` probe the same worlds each time. */
const SEED = 20_261_124

describe('reads under rules, in many worlds', () => {
  it('show exactly the entries and attributes of an interpreter of the rules', async function () {
    this.timeout(Math.max(300_000, PROBES * 100))
    const isLong = process.env['RULE_PROBES'] !== undefined
    const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : SEED
    const counts = await probeWorlds(PROBES, seed)
    if (isLong) process.stdout.write(`${JSON.stringify(counts)}\n`)
    for (const key of [
      'list 200',
      'list 400',
      'list 403',
      'entry 200',
      'entry 404',
      'search 200',
    ]) {
      expect(counts[key], key).to.be.above(PROBES / 100)
    }
  })
})
