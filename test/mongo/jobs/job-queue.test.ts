import { expect } from 'chai'
import {
  array,
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  nat,
  record,
} from 'fast-check'
import {
  type JobQueue,
  type JobRow,
  LeaseLost,
  newJob,
  openJobQueue,
} from '../../../src/mongo/jobs/job-queue.ts'
import { until } from '../../support/until.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { startOwnClock } from '../../support/own-clock.ts'

interface Work extends JobRow {
  readonly note?: string
}

const LEASE_MS = 1_000

describe('a queue of jobs', () => {
  let opened: TestDatabase
  let queue: JobQueue<Work>
  let clock = 0
  const at = (): Date => new Date(clock)
  const rows = () => opened.database.collection<Work>('jobs')
  const effects = () =>
    opened.database.collection<{ readonly _id: string; readonly times: number }>('effects')

  before(async () => {
    opened = await openTestDatabase('jobs')
    await effects().createIndex({ times: 1 })
    queue = await openJobQueue({
      database: opened.database,
      collection: 'jobs',
      leaseMs: LEASE_MS,
      now: at,
    })
  })
  after(() => opened.drop())
  beforeEach(async () => {
    clock = Date.parse('2026-01-01')
    await rows().deleteMany({})
    await effects().deleteMany({})
  })

  const put = async (_id: string, dueIn = 0): Promise<void> => {
    await rows().insertOne({ _id, ...newJob(new Date(clock + dueIn)) })
  }
  const claim = async (conditions?: object) => {
    const job = await queue.claim(conditions)
    if (job === null) throw new Error('nothing is due')
    return job
  }
  const rejection = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    )
  const once = (session: object, _id: string) =>
    effects().updateOne(
      { _id },
      { $inc: { times: 1 } },
      { session: session as never, upsert: true },
    )

  it('claims due jobs in order of their due time, each by one worker', async () => {
    await put('later', 10)
    await put('second', -1)
    await put('first', -2)
    const claimed = await Promise.all([queue.claim(), queue.claim(), queue.claim(), queue.claim()])
    const ids = claimed.flatMap((job) => (job === null ? [] : [job._id]))
    expect(ids.sort()).to.deep.equal(['first', 'second'])
    clock += 10
    expect((await claim())._id).to.equal('later')
  })

  it('claims only jobs that meet the conditions', async () => {
    await put('a')
    await put('b')
    expect((await claim({ _id: { $in: ['b'] } }))._id).to.equal('b')
    expect(await queue.claim({ _id: { $in: ['b'] } })).to.equal(null)
  })

  it('gives a job to another worker after its lease expires and rejects the first one', async () => {
    await put('a')
    const first = await claim()
    clock += LEASE_MS - 1
    expect(await queue.claim()).to.equal(null)
    clock += 1
    const second = await claim()
    expect(second).to.include({ _id: 'a', attempts: 2 })
    const late = queue.finish(first, (session) => once(session, 'a').then(() => undefined))
    expect(await rejection(late)).to.be.instanceOf(LeaseLost)
    expect(await rejection(queue.settle(first, { kind: 'done' }))).to.be.instanceOf(LeaseLost)
    expect(await effects().countDocuments({})).to.equal(0)
    await queue.finish(second, (session) => once(session, 'a').then(() => undefined))
    expect(await effects().findOne({ _id: 'a' })).to.include({ times: 1 })
    expect(await rows().countDocuments({})).to.equal(0)
  })

  it('aborts the transaction of an attempt with an expired lease and releases its locks', async () => {
    await put('a')
    const first = await claim()
    let goOn = (): void => undefined
    let isInside = (): void => undefined
    const inside = new Promise<void>((resolve) => (isInside = resolve))
    let begun = 0
    const late = rejection(
      queue.finish(first, async (session) => {
        await once(session, 'a')
        begun += 1
        isInside()
        await new Promise<void>((resolve) => (goOn = resolve))
      }),
    )
    await inside
    clock += LEASE_MS
    const elapsedMs = startOwnClock()
    const second = await claim()
    await queue.finish(second, (session) => once(session, 'a').then(() => undefined))
    expect(elapsedMs(), 'ms').to.be.below(2_000)
    goOn()
    expect(await late).to.be.instanceOf(LeaseLost)
    expect(begun).to.equal(1)
    expect(await effects().findOne({ _id: 'a' })).to.include({ times: 1 })
    expect(await rows().countDocuments({})).to.equal(0)
  })

  it('returns the time until the next job is due or a lease expires', async () => {
    await put('a')
    await put('later', 200)
    await claim()
    expect(await queue.nextWithin(100)).to.equal(null)
    expect(await queue.nextWithin(500)).to.equal(200)
    expect(await queue.nextWithin(LEASE_MS, { _id: 'a' })).to.equal(LEASE_MS)
    clock += LEASE_MS
    expect(await queue.nextWithin(LEASE_MS), 'of a free job').to.equal(0)
    await put('later still', 300)
    expect(await queue.nextWithin(LEASE_MS, {}, 1), 'after the free job').to.equal(300)
  })

  it('leaves a held job to its worker until that worker dies', async () => {
    const held = () =>
      opened.database.collection<{ readonly _id: string; readonly until: Date }>('quire_held_jobs')
    await put('a')
    await put('b')
    const job = await claim({ _id: 'a' })
    let end = (): void => undefined
    const working = queue.hold(job, () => new Promise<void>((resolve) => (end = resolve)))
    const heldUntil = async (): Promise<number> =>
      (await held().findOne({ _id: job.lease }))?.until.getTime() ?? 0
    await until(async () => (await heldUntil()) > 0, 5_000)
    clock += LEASE_MS + 1
    await until(async () => (await heldUntil()) > clock, 5_000)
    const other = await claim()
    expect(other._id, 'is not kept from others').to.equal('b')
    expect(await queue.claim()).to.equal(null)
    end()
    await working
    expect(await held().countDocuments({})).to.equal(0)
    await held().insertOne({ _id: job.lease, until: new Date(clock) }) // of a killed worker
    expect(await claim()).to.include({ _id: 'a', attempts: 2 })
    expect(await held().countDocuments({})).to.equal(0)
    const late = queue.finish(job, (session) => once(session, 'a').then(() => undefined))
    expect(await rejection(late)).to.be.instanceOf(LeaseLost)
  })

  it('writes no extra row for short work and removes the row after failed work', async () => {
    await put('a')
    const job = await claim()
    const failed = queue.hold(job, () => Promise.reject(new Error('on the way')))
    expect(await rejection(failed)).to.have.property('message', 'on the way')
    expect(await opened.database.collection('quire_held_jobs').countDocuments({})).to.equal(0)
  })

  it('ignores a lease that a clock far ahead has set', async () => {
    await put('a')
    clock += 100 * LEASE_MS
    await claim()
    clock -= 50 * LEASE_MS
    expect(await queue.nextWithin(100), 'ms').to.equal(0)
    expect((await claim())._id).to.equal('a')
  })

  it('ignores a hold from a process with a clock far ahead', async () => {
    await put('a')
    clock += 100 * LEASE_MS
    const job = await claim()
    let end = (): void => undefined
    const working = queue.hold(job, () => new Promise<void>((resolve) => (end = resolve)))
    const held = opened.database.collection('quire_held_jobs')
    await until(async () => (await held.countDocuments({})) === 1, 5_000)
    const sign = await held.findOne({})
    end()
    await working
    if (sign !== null) await held.insertOne(sign) // a killed worker left it behind
    clock -= 50 * LEASE_MS
    expect((await claim())._id).to.equal('a')
    expect(await held.countDocuments({})).to.equal(0)
  })

  it('commits the effect and removes the job, or neither', async () => {
    await put('a')
    const job = await claim()
    const failed = queue.finish(job, async (session) => {
      await once(session, 'a')
      throw new Error('on the way')
    })
    expect(await rejection(failed)).to.have.property('message', 'on the way')
    expect(await effects().countDocuments({})).to.equal(0)
    await queue.finish(job, (session) => once(session, 'a').then(() => undefined))
    expect(await effects().findOne({ _id: 'a' })).to.include({ times: 1 })
  })

  it('reschedules a job or keeps it as done', async () => {
    await put('a')
    await queue.settle(await claim(), {
      kind: 'later',
      dueAt: new Date(clock + 5_000),
      set: { note: 'once more' },
    })
    clock += 4_999
    expect(await queue.claim()).to.equal(null)
    clock += 1
    await queue.settle(await claim(), { kind: 'done', set: { note: 'done' } })
    clock += 1_000_000
    expect(await queue.claim()).to.equal(null)
    const kept = await rows().findOne({ _id: 'a' })
    expect(kept).to.include({ note: 'done', lease: null, attempts: 2 })
    expect(kept).not.to.have.property('open')
  })

  /** Each effect happens exactly once, even if workers stall or stop. */
  it('applies each job once in random histories of stalling workers', async () => {
    const step = record({
      worker: nat(2),
      does: constantFrom('claim', 'finish', 'stall' as const),
      passes: constantFrom(0, LEASE_MS / 2, LEASE_MS),
    })
    await assertProperty(
      asyncProperty(array(step, { maxLength: 20 }), async (steps) => {
        await rows().deleteMany({})
        await effects().deleteMany({})
        const ids = ['a', 'b', 'c']
        for (const id of ids) await put(id)
        const held = new Map<number, Awaited<ReturnType<typeof claim>>>()
        for (const { worker, does, passes } of steps) {
          clock += passes
          const mine = held.get(worker)
          if (does === 'claim' && mine === undefined) {
            const job = await queue.claim()
            if (job !== null) held.set(worker, job)
          } else if (does === 'finish' && mine !== undefined) {
            await rejection(queue.finish(mine, (s) => once(s, mine._id).then(() => undefined)))
            held.delete(worker)
          }
        }
        clock += 2 * LEASE_MS
        for (let job = await queue.claim(); job !== null; job = await queue.claim()) {
          const { _id } = job
          await queue.finish(job, (session) => once(session, _id).then(() => undefined))
        }
        const counted = await effects().find({}).sort({ _id: 1 }).toArray()
        expect(counted).to.deep.equal(ids.map((_id) => ({ _id, times: 1 })))
      }),
      { numRuns: 25 },
    )
  })
})
