import { rmSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { type Db, MongoClient, MongoServerError, Timestamp } from 'mongodb'
import { openClusterTime } from '../../src/request/cluster-time.ts'
import { startEmbedded } from '../../src/start-embedded.ts'
import type { EmbeddedEngine } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

describe('the cluster time', () => {
  it('always advances, also on a clock that is set back, and reaches its own times only', () => {
    const clocks = fc.array(fc.integer({ min: 1, max: 4_000_000_000_000 }), { minLength: 2 })
    fc.assert(
      fc.property(clocks, (readings) => {
        let now = 0
        const clock = openClusterTime(() => now)
        let last = new Timestamp({ t: 0, i: 0 })
        for (const reading of readings) {
          now = reading
          const next = clock.next()
          expect(next.greaterThan(last)).to.equal(true)
          expect(clock.hasReached(next)).to.equal(true)
          const latest = Math.max(next.t + 2, Math.floor(reading / 1_000) + 2)
          expect(clock.hasReached(new Timestamp({ t: latest, i: 0 }))).to.equal(false)
          last = next
        }
      }),
    )
  })

  it('has passed all increments of earlier seconds', () => {
    const clock = openClusterTime(() => 5_000)
    expect(clock.hasReached(new Timestamp({ t: 4, i: 2 ** 32 - 1 }))).to.equal(true)
    expect(clock.hasReached(new Timestamp({ t: 5, i: 1 }))).to.equal(false)
  })

  describe('of commands', () => {
    let directory: string
    let engine: EmbeddedEngine
    let client: MongoClient
    let db: Db

    before(async () => {
      directory = temporaryFolder()
      engine = await startEmbedded({ directory, durable: false })
      client = await MongoClient.connect(engine.uri)
      db = client.db('times')
    })
    after(async () => {
      await client.close()
      await engine.close()
      rmSync(directory, { recursive: true, force: true })
    })

    it('is in the replies of reads, writes and commits', async () => {
      await client.withSession(async (session) => {
        const times: (Timestamp | undefined)[] = []
        const rows = db.collection('rows')
        await rows.insertOne({ n: 1 }, { session })
        times.push(session.operationTime)
        await rows.find({}, { session }).toArray()
        times.push(session.operationTime)
        await session.withTransaction(() => rows.insertOne({ n: 2 }, { session }))
        times.push(session.operationTime)
        const texts = times.map((time) => time?.toBigInt())
        expect(texts).to.deep.equal(
          texts.toSorted((one = 0n, other = 0n) => (one < other ? -1 : 1)),
        )
        expect(new Set(texts).size).to.equal(3)
        expect(texts).to.not.include(undefined)
      })
    })

    it('is awaited by afterClusterTime, which is refused if it is in the future', async () => {
      const { operationTime } = await db.command({ ping: 1 })
      const reading = (afterClusterTime: unknown): Promise<unknown> =>
        db.command({ find: 'rows', readConcern: { level: 'local', afterClusterTime } })
      await reading(operationTime)
      const codeOf = (work: Promise<unknown>): Promise<unknown> =>
        work.then(
          () => null,
          (error: unknown) => (error instanceof MongoServerError ? error.code : error),
        )
      expect(await codeOf(reading(new Timestamp({ t: 4_000_000_000, i: 1 })))).to.equal(72)
      expect(await codeOf(reading(5))).to.equal(14)
      expect(await codeOf(reading(null))).to.equal(14)
    })
  })
})
