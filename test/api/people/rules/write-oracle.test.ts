import { expect } from 'chai'
import { modelRuns } from '../../../support/model-runs.ts'
import { writeInWorlds } from './write-in-worlds.ts'

const WRITES = modelRuns('RULE_WRITES', 100, 100)
/** The hard file writes in random worlds. */
const SEED = 20_261_124

describe('writes under rules', () => {
  it('happen exactly if an interpreter of the rules permits them', async function () {
    this.timeout(Math.max(60_000, WRITES * 200))
    const counts = await writeInWorlds(WRITES, SEED, 50)
    expect(counts['update 200'], JSON.stringify(counts)).to.be.above(0)
    expect(counts['update 403'], JSON.stringify(counts)).to.be.above(0)
    expect(counts['moves']).to.be.above(WRITES / 2)
  })
})
