import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type LoadedServers, startLoadedServers } from './loaded-servers.ts'
import { openReplicaSet, type ReplicaSet } from './replica-set.ts'

const TIMES = Number(process.env['QUIRE_TEST_STEP_DOWNS'] ?? 2)
const STEP_DOWN_SECONDS = 5
const PAUSE_MS = 5_000
/**
 * A new primary is elected within 12 seconds. A set of one member has none until its time is over.
 */
const MAX_WAIT_MS = 90_000

const uri = process.env['MONGODB_URI'] ?? ''
const reason = uri === '' ? ' (skipped: MONGODB_URI is not set)' : ''

describe(`a replica set under load${reason}`, function () {
  this.timeout(600_000)
  let replicaSet: ReplicaSet | null = null
  let servers: LoadedServers | null = null

  /** Skips the test without a replica set. */
  const world = (test: Mocha.Context): { replicaSet: ReplicaSet; servers: LoadedServers } => {
    if (replicaSet === null || servers === null) test.skip()
    return { replicaSet, servers }
  }

  before(async function () {
    if (uri !== '') replicaSet = await openReplicaSet(uri)
    if (replicaSet === null) this.skip()
    servers = await startLoadedServers(uri)
  })

  after(async () => {
    await servers?.remove()
    await replicaSet?.close()
  })

  it(`serves again after its primary has stepped down, ${TIMES} times`, async function () {
    const { servers, replicaSet } = world(this)
    for (let time = 0; time < TIMES; time += 1) {
      await servers.untilServed(50, MAX_WAIT_MS)
      if (!(await replicaSet.stepDown(STEP_DOWN_SECONDS))) this.skip()
      await servers.untilServed(50, MAX_WAIT_MS)
    }
  })

  it('lets no request hang without a majority, and serves again afterwards', async function () {
    const { servers, replicaSet } = world(this)
    // The set must be left alone, or its secondaries make no difference.
    if (TIMES === 0 || replicaSet.members < 3) this.skip()
    const resume = await replicaSet.pauseSecondaries()
    try {
      await Promise.all([servers.untilMissed(5, MAX_WAIT_MS), wait(PAUSE_MS)])
    } finally {
      await resume()
    }
    await servers.untilServed(50, MAX_WAIT_MS)
  })

  it('has lost no acknowledged write', async function () {
    expect(await world(this).servers.faults()).to.deep.equal([])
  })
})
