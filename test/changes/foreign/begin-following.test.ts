import { expect } from 'chai'
import { beginFollowing } from '../../../src/changes/foreign/begin-following.ts'
import { FOREIGN, foreignRowsOf } from '../../../src/changes/foreign/foreign-row.ts'
import { readNewestToken } from '../../../src/mongo/adopted/change-streams.ts'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const [ORDERS, DEVICES, COUNTRIES] = ['orders', 'devices', 'countries'].map((collection) => ({
  collection,
  type: `api::${collection}.${collection}`,
  idKind: 'objectId' as const,
})) as [Followed, Followed, Followed]

interface Followed {
  readonly collection: string
  readonly type: string
  readonly idKind: 'objectId' | 'text'
}

describe('beginFollowing', () => {
  let test: TestDatabase
  let reported = 0

  before(async function () {
    test = await openTestDatabase('begin_following')
    if ((await readNewestToken(test.database)) === null) this.skip()
  })
  after(() => test.drop())

  const begin = (followed: readonly Followed[], others: readonly string[] = []): Promise<void> =>
    beginFollowing({
      database: test.database,
      followed,
      findOthers: () => Promise.resolve(others),
      now: () => new Date(),
    })

  const stored = async (): Promise<readonly string[]> =>
    ((await foreignRowsOf(test.database).findOne(FOREIGN))?.collections ?? []).map(
      ({ collection, idKind }) => `${collection} ${idKind}`,
    )

  /** The types that devices read again since the last call. */
  async function lost(): Promise<readonly string[]> {
    const rows = await test.database.collection(COMMITS).find().sort({ _id: 1 }).toArray()
    const items = rows.flatMap((row) => row['items'] as readonly { type: string; lost?: true }[])
    const found = items.filter((item) => item.lost === true).map(({ type }) => type)
    const since = found.slice(reported)
    reported = found.length
    return since
  }

  it('stores the collections, and resets only added ones', async () => {
    await Promise.all([begin([ORDERS]), begin([ORDERS])])
    expect(await stored()).to.deep.equal(['orders objectId'])
    expect(await lost()).to.deep.equal([ORDERS.type])
    await begin([ORDERS])
    expect(await lost()).to.deep.equal([])
    await begin([ORDERS, DEVICES])
    expect(await stored()).to.deep.equal(['orders objectId', 'devices objectId'])
    expect(await lost()).to.deep.equal([DEVICES.type])
  })

  it('keeps the collections of other releases until these end', async () => {
    await begin([ORDERS, COUNTRIES], ['older release'])
    expect(await stored()).to.have.members([
      'orders objectId',
      'countries objectId',
      'devices objectId',
    ])
    expect(await lost()).to.deep.equal([COUNTRIES.type])
    await begin([ORDERS, COUNTRIES])
    expect(await stored()).to.have.members(['orders objectId', 'countries objectId'])
    await begin([ORDERS, DEVICES])
    expect(await lost()).to.deep.equal([DEVICES.type])
  })

  it('resets a type whose ids have another form', async () => {
    await begin([{ ...ORDERS, idKind: 'text' }])
    expect(await stored()).to.deep.equal(['orders text'])
    expect(await lost()).to.deep.equal([ORDERS.type])
  })
})
