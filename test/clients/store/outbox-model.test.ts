import * as fc from 'fast-check'
import { modelRuns } from '../../support/model-runs.ts'
import { type OutboxHistories, openHistories } from './outbox-history.ts'
import { openLocalHost, type OutboxHost } from './outbox-hosts.ts'
import { STEPS } from './outbox-steps.ts'

const RUNS = modelRuns('OUTBOX_RUNS', 4, 60)

describe('devices with an outbox, and an editor', function () {
  this.timeout(60_000 + RUNS * 60_000)
  let host: OutboxHost
  let histories: OutboxHistories

  before(async () => {
    host = await openLocalHost('outbox_model')
    histories = await openHistories(host)
  })
  after(async () => {
    await histories.close()
    await host.close()
  })

  it('end each change once, show it all the time, and converge', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, (steps) => histories.run(steps)),
      { numRuns: RUNS },
    )
  })
})
