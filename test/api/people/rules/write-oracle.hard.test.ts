import { expect } from 'chai'
import { modelRuns } from '../../../support/model-runs.ts'
import { writeInWorlds } from './write-in-worlds.ts'

const WRITES = modelRuns('RULE_WRITES', 700, 700)
/** Runs without `RULE_WRITES` write to the same worlds each time. */
const SEED = 20_261_125

describe('writes under rules, in many worlds', () => {
  it('happen exactly if an interpreter of the rules permits them', async function () {
    this.timeout(Math.max(300_000, WRITES * 200))
    const isLong = process.env['RULE_WRITES'] !== undefined
    const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : SEED
    const counts = await writeInWorlds(WRITES, seed, 100)
    if (isLong) process.stdout.write(`${JSON.stringify(counts)}\n`)
    for (const key of ['create 201', 'update 200', 'update 400', 'update 403', 'update 404']) {
      expect(counts[key], `${key} of ${JSON.stringify(counts)}`).to.be.above(WRITES / 100)
    }
    for (const key of ['publish 200', 'publish 403', 'delete 204', 'repeated']) {
      expect(counts[key], `${key} of ${JSON.stringify(counts)}`).to.be.above(0)
    }
    expect(counts['moves']).to.be.above(WRITES / 2)
  })
})
