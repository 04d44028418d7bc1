import { expect } from 'chai'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openVersionedCache } from '../../../src/mongo/system/versioned-cache.ts'
import { type LaggingMajority, startLaggingMajority } from '../../support/lagging-majority.ts'

const LOCAL = { writeConcern: { w: 1 } } as const

describe('permissions that no majority has confirmed', () => {
  let replicas: LaggingMajority
  let database: Database

  before(async () => {
    replicas = await startLaggingMajority()
    database = await replicas.open('system')
  })
  after(() => replicas.stop())

  const rowsOf = (name: string) => replicas.client.db('system').collection<{ _id: string }>(name)

  it('are not granted and are not mistaken for later ones', async () => {
    let ms = 0
    await rowsOf('rights').insertOne({ _id: 'granted' })
    const rights = await openVersionedCache({
      db: database,
      key: 'rights',
      firstChange: 0,
      load: async (source) =>
        (await source.collection<{ _id: string }>('rights').find({}).toArray()).map(
          ({ _id }) => _id,
        ),
      now: () => new Date(ms),
    })
    expect(await rights.current()).to.deep.equal(['granted'])
    await replicas.hold()
    await rowsOf('rights').insertOne({ _id: 'lost' }, LOCAL)
    await rowsOf('quire_stamps').updateOne({ _id: 'rights' }, { $inc: { number: 1 } }, LOCAL)
    ms += 2_000
    expect(await rights.current()).to.deep.equal(['granted'])
    await replicas.rollBack()
    await rights.change(async (session) => {
      await database.collection<{ _id: string }>('rights').insertOne({ _id: 'kept' }, { session })
    })
    expect(await rights.current()).to.deep.equal(['granted', 'kept'])
  })
})
