import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startEmbedded } from '@quire/engine'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { clientFor } from '../../src/mongo/connection/connect.ts'

/** Longer than another database may be silent before it is taken for gone. */
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

describe('an embedded engine that answers nothing for a while, as while its disk syncs', function () {
  this.timeout(60_000)
  this.slow(20_000)

  it('is not taken for gone, so that nobody breaks off what is under way', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'quire-silent-'))
    const engine = await startEmbedded({ directory, durable: false })
    const client = clientFor({ uri: engine.uri })
    const failed: string[] = []
    client.on('serverHeartbeatFailed', ({ failure }) => failed.push(failure.message))
    client.on('connectionPoolCleared', () => failed.push('the pool was cleared'))
    try {
      const rows = client.db('silent').collection<Document & { _id: number }>('rows')
      await rows.insertOne({ _id: 0 })
      // What a transaction reads keeps all others waiting, until its deadline at most.
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
