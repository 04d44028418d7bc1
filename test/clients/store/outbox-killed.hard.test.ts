import * as fc from 'fast-check'
import { modelRuns } from '../../support/model-runs.ts'
import { type OutboxHistories, openHistories } from './outbox-history.ts'
import { openEmbeddedHost, openProcessHost, type OutboxHost } from './outbox-hosts.ts'
import { STEPS } from './outbox-steps.ts'

const RUNS = modelRuns('OUTBOX_KILL_RUNS', 20, 20)

const HOSTS = {
  'on a database': openProcessHost,
  'with the embedded engine': openEmbeddedHost,
}

for (const [name, openHost] of Object.entries(HOSTS)) {
  describe(`devices with an outbox, and a server ${name} that is killed`, function () {
    this.timeout(120_000 + RUNS * 120_000)
    let host: OutboxHost
    let histories: OutboxHistories

    before(async () => {
      host = await openHost('outbox_killed')
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
}
