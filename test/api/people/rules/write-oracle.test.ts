import { expect } from 'chai'
import { modelRuns } from '../../../support/model-runs.ts'
import { pushInWorlds, writeInWorlds } from './write-in-worlds.ts'

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

  it('happen by pushes only if the interpreter permits them', async function () {
    this.timeout(Math.max(60_000, WRITES * 300))
    const counts = await pushInWorlds(WRITES, SEED, 50)
    for (const key of ['create applied', 'create 403', 'update applied', 'update 403']) {
      expect(counts[key], `${key} of ${JSON.stringify(counts)}`).to.be.above(0)
    }
  })
})
