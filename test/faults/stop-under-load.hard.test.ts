import { expect } from 'chai'
import { MIXED_TYPES } from '../../tools/bench/src/mixed-load/content-types.ts'
import { findLosses } from '../../tools/bench/src/mixed-load/find-losses.ts'
import { startMixedLoad } from '../../tools/bench/src/mixed-load/mixed-load.ts'
import { ROOT_TOKEN } from '../support/server-process.ts'
import { startServerClock } from '../support/server-clock.ts'
import { until } from '../support/until.ts'
import { checkMedia } from './check-media.ts'
import { openWorld, type World } from './world.ts'

const MAX_WAIT_MS = 60_000

/** The limits of `run`: at most 10 seconds to finish requests, and 40 to close everything. */
const GRACE_MS = 45_000

describe('a server that is stopped under mixed load', function () {
  this.timeout(180_000)
  this.slow(20_000)
  let world: World

  beforeEach(async () => {
    // Uses an embedded engine without a given database. An immediate exit leaves transactions
    // behind, and their locks would prevent the next test from dropping the database for a minute.
    const uri = process.env['MONGODB_URI'] ?? null
    world = await openWorld('stop', { types: MIXED_TYPES, uri })
  })

  afterEach(() => world.remove())

  it('finishes pending requests, exits with 0 and loses no data', async () => {
    const server = await world.start()
    const load = await startMixedLoad({
      bases: [server.base],
      token: ROOT_TOKEN,
      writers: 6,
      readers: 2,
      uploaders: 3,
      pauseMs: 10,
    })
    await until(() => load.acknowledged > 50, MAX_WAIT_MS)
    const elapsedMs = startServerClock(server.pid, { isStopping: true })
    expect(await server.stop()).to.equal(0)
    expect(elapsedMs(), 'milliseconds').to.be.below(GRACE_MS)
    expect(server.complaints).to.deep.equal([])
    const next = await world.start()
    const report = await load.stop()
    expect(report.wrong).to.deep.equal([])
    expect(await findLosses(next.base, ROOT_TOKEN, report)).to.deep.equal([])
    expect((await checkMedia(world.env, 'local')).faults).to.deep.equal([])
    expect(await next.stop()).to.equal(0)
  })

  it('exits immediately after a second signal', async () => {
    const server = await world.start()
    const load = await startMixedLoad({
      bases: [server.base],
      token: ROOT_TOKEN,
      writers: 4,
      readers: 2,
      pauseMs: 10,
    })
    await until(() => load.acknowledged > 10, MAX_WAIT_MS)
    server.signal('SIGTERM')
    server.signal('SIGINT')
    expect(await server.ended).to.be.oneOf([0, 130, 143])
    await load.stop()
  })
})
