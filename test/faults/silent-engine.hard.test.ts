import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startEmbedded } from '@quire/engine'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { clientFor } from '../../src/mongo/connection/connect.ts'

/** Longer than another database may be silent before it counts as lost. */
const SILENT_MS = 5_000
const MAX_TIME_MS_EXPIRED = 50

/** Nested loops over a range within one expression. */
function loops(depth: number): Document {
  return {
    $reduce: {
      input: { $range: [0, 100_000] },
      initialValue: 0,
      in: { $add: ['$$value', depth === 0 ? 1 : loops(depth - 1)] },
    },
  }
}

describe('an embedded engine that does not respond for a while, such as during a sync', function () {
  this.timeout(60_000)
  this.slow(20_000)

  it('does not count as lost, so that pending work continues', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'quire-silent-'))
    const engine = await startEmbedded({ directory, durable: false })
    const client = clientFor({ uri: engine.uri })
    const failed: string[] = []
    client.on('serverHeartbeatFailed', ({ failure }) => failed.push(failure.message))
    client.on('connectionPoolCleared', () => failed.push('the pool was cleared'))
    try {
      const rows = client.db('silent').collection<Document & { _id: number }>('rows')
      await rows.insertOne({ _id: 0 })
      // The reads of a transaction block all others, at most until its deadline.
      const blocked = client
        .withSession((session) =>
          session.withTransaction(() =>
            rows
              .aggregate([{ $project: { n: loops(4) } }], { maxTimeMS: SILENT_MS, session })
              .toArray(),
          ),
        )
        .then(
          () => null,
          (error: unknown) => (error as { readonly code?: unknown }).code,
        )
      await wait(250)
      const write = rows.insertOne({ _id: 1 })
      expect(await blocked).to.equal(MAX_TIME_MS_EXPIRED)
      await write
      expect(failed).to.deep.equal([])
    } finally {
      await client.close()
      await engine.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
