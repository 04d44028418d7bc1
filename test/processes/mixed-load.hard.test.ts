import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { MIXED_TYPES } from '../../tools/bench/src/mixed-load/content-types.ts'
import { findLosses } from '../../tools/bench/src/mixed-load/find-losses.ts'
import { startMixedLoad } from '../../tools/bench/src/mixed-load/mixed-load.ts'
import { ROOT_TOKEN } from '../support/server-process.ts'
import { type Processes, startProcesses } from './processes.ts'

const SECONDS = Number(process.env['QUIRE_TEST_LOAD_SECONDS'] ?? 5)
/** The default maximum age of a response. */
const STALE_MS = 1_000
/** Every process must see the files of the others. */
const SHARED_UPLOADS = { UPLOAD_STORAGE: 'gridfs', RATE_LIMIT: 'off' }

describe(`four processes under ${SECONDS} s of mixed load`, () => {
  let processes: Processes

  before(async () => {
    processes = await startProcesses('mixed', MIXED_TYPES, SHARED_UPLOADS)
  })
  after(async () => {
    await processes.close()
  })

  it('loses no data, and sends the same responses from every process', async function () {
    this.timeout(SECONDS * 1_000 + 120_000)
    const bases = processes.servers.map(({ base }) => base)
    const load = await startMixedLoad({
      bases,
      token: ROOT_TOKEN,
      writers: 8,
      readers: 4,
      visitors: { count: 4, staleMs: STALE_MS },
      uploaders: 1,
      timeoutMs: 60_000,
    })
    const end = Date.now() + SECONDS * 1_000
    while (Date.now() < end && load.wrong.length === 0) await wait(100)
    const report = await load.stop()
    expect(report.wrong, JSON.stringify([...report.statuses])).to.deep.equal([])
    expect(load.acknowledged).to.be.greaterThan(SECONDS)
    for (const base of bases) expect(await findLosses(base, ROOT_TOKEN, report)).to.deep.equal([])
    expect(await findRepeatedIds()).to.deep.equal([])
  })

  /** No two rows of a collection may have the same `id`. */
  const findRepeatedIds = async (): Promise<readonly string[]> => {
    const { db } = processes
    const names = (await db.listCollections().toArray()).map(({ name }) => name)
    const repeated: string[] = []
    for (const name of names) {
      const found = await db
        .collection(name)
        .aggregate([
          { $match: { documentId: { $exists: true }, id: { $exists: true } } },
          { $group: { _id: '$id', rows: { $sum: 1 } } },
          { $match: { rows: { $gt: 1 } } },
        ])
        .toArray()
      repeated.push(...found.map(({ _id }) => `${name}: ${String(_id)}`))
    }
    return repeated
  }
})
