import { expect } from 'chai'
import { setTimeout as delay } from 'node:timers/promises'
import { withLease } from '../../../src/mongo/system/lease.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

describe('withLease', () => {
  let test: TestDatabase
  const leases = () =>
    test.database.collection<{ _id: string; holder: string; expiresAt: Date }>('quire_leases')

  before(async () => {
    test = await openTestDatabase('lease')
  })

  after(() => test.drop())

  it('runs one holder at a time until all have run', async () => {
    let working = 0
    let most = 0
    const work = async (): Promise<void> => {
      working += 1
      most = Math.max(most, working)
      await delay(5)
      working -= 1
    }
    await Promise.all(Array.from({ length: 5 }, () => withLease(test.database, 'shared', work)))
    expect(most).to.equal(1)
    expect(await leases().countDocuments()).to.equal(0)
  })

  it('runs holders of different leases concurrently', async () => {
    const answer = await withLease(test.database, 'outer', () =>
      withLease(test.database, 'inner', () => Promise.resolve('both')),
    )
    expect(answer).to.equal('both')
  })

  it('releases the lease after failed work', async () => {
    const failed = withLease(test.database, 'failing', () => Promise.reject(new Error('no')))
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal('no')
    expect(await withLease(test.database, 'failing', () => Promise.resolve(1))).to.equal(1)
  })

  it('takes over the expired lease of a dead holder', async () => {
    await leases().insertOne({ _id: 'dead', holder: 'nobody', expiresAt: new Date(Date.now() - 1) })
    expect(await withLease(test.database, 'dead', () => Promise.resolve(1))).to.equal(1)
  })

  it('takes over a lease from a clock an hour ahead', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000)
    await leases().insertOne({ _id: 'ahead', holder: 'nobody', expiresAt })
    expect(await withLease(test.database, 'ahead', () => Promise.resolve(1))).to.equal(1)
  })

  it('waits while the holder is alive', async () => {
    await leases().insertOne({
      _id: 'held',
      holder: 'somebody',
      expiresAt: new Date(Date.now() + 60_000),
    })
    const order: string[] = []
    const waiting = withLease(test.database, 'held', () => Promise.resolve(order.push('mine')))
    await delay(120)
    order.push('theirs')
    await leases().deleteOne({ _id: 'held' })
    await waiting
    expect(order).to.deep.equal(['theirs', 'mine'])
  })
})
