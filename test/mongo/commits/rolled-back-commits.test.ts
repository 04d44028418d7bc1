import { expect } from 'chai'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { readHead } from '../../../src/mongo/commits/heads.ts'
import { sequence, sequenceAll, type Step } from '../../../src/mongo/commits/sequencer.ts'
import { type LaggingMajority, startLaggingMajority } from '../../support/lagging-majority.ts'
import { carryOut, contextOf, openWorld, type Operation, wholeLog } from './log-world.ts'

const CREATION: Operation = {
  kind: 'tag',
  document: 0,
  locale: 'en',
  status: 'published',
  what: 'create',
  data: { name: 'red' },
}
const UPDATE: Operation = { ...CREATION, what: 'update', data: { name: 'green' } }

describe('commits that a step-down rolls back', () => {
  let replicas: LaggingMajority
  let databases: readonly [Database, Database]

  before(async () => {
    replicas = await startLaggingMajority()
    databases = [await replicas.open('rolled_back'), await replicas.open('rolled_back')]
    await openWorld(databases[0])
    await carryOut(contextOf(databases[1]), CREATION)
  })
  after(() => replicas.stop())

  // Found by the simulator with seed 2.
  it('get no number', async () => {
    await sequenceAll(databases[0])
    await replicas.hold()
    const writing = carryOut(contextOf(databases[1]), UPDATE)
    const outcome = writing.catch(() => false)
    const commits = replicas.client.db('rolled_back').collection('quire_commits')
    while ((await commits.countDocuments({ pending: 1 })) === 0);
    const rollBack = async (step: Step): Promise<void> => {
      if (step === 'listed') await replicas.rollBack()
    }
    await sequence(databases[0], { pause: rollBack })
    await replicas.rollBack()
    await outcome
    await sequenceAll(databases[0])
    const { seq } = await readHead(databases[0])
    const log = await wholeLog(databases[0])
    expect(log.map((commit) => commit.seq)).to.deep.equal(log.map((_, index) => index + 1))
    expect(log.length).to.equal(seq)
  })
})
