import { expect } from 'chai'
import {
  openVersionedCache,
  type VersionedCache,
} from '../../../src/mongo/system/versioned-cache.ts'
import { openTestDatabase } from '../../support/test-database.ts'

describe('openVersionedCache', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let ms: number
  let loads: number
  let load: () => Promise<number>
  let versionedCache: VersionedCache<number>
  const open = (key: string, firstChange = 0): Promise<VersionedCache<number>> =>
    openVersionedCache({
      db: test.database,
      key,
      firstChange,
      load: () => load(),
      now: () => new Date(ms),
    })
  const nothing = (): Promise<void> => Promise.resolve()

  before(async () => {
    test = await openTestDatabase('versioned_cache')
  })
  beforeEach(async function () {
    ms = 0
    loads = 0
    load = () => Promise.resolve((loads += 1))
    versionedCache = await open(this.currentTest?.title ?? '')
  })
  after(() => test.drop())

  it('loads once for concurrent callers', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => versionedCache.current()))
    expect(new Set(all)).to.deep.equal(new Set([1]))
  })

  it('does not load again while the stamp is unchanged', async () => {
    await versionedCache.current()
    ms += 10_000
    expect(await versionedCache.current()).to.equal(1)
  })

  it('gives each change a number, starting at the first one', async () => {
    const other = await open('numbers', 7)
    const numbers = await Promise.all(
      Array.from({ length: 5 }, () => other.change((_, change) => Promise.resolve(change))),
    )
    expect(numbers.sort((one, other) => one - other)).to.deep.equal([8, 9, 10, 11, 12])
    expect(
      await (await open('numbers', 0)).change((_, change) => Promise.resolve(change)),
    ).to.equal(13)
  })

  it('discards the writes of a change that a concurrent one overtook', async () => {
    const rows = test.database.collection<{ readonly _id: number; readonly by: string }>('rows')
    await rows.insertOne({ _id: 0, by: 'first' })
    const both = await Promise.all(
      ['one', 'other'].map((by) =>
        versionedCache.change(async (session, change) => {
          await rows.insertOne({ _id: change, by }, { session })
          return change
        }),
      ),
    )
    expect(both.toSorted((one, other) => one - other)).to.deep.equal([1, 2])
    expect(await rows.countDocuments()).to.equal(3)
  })

  it('locks the stamp only with its last command', async () => {
    const overtaking = await open('overtaken')
    const overtaken = await open('overtaken')
    let runs = 0
    const number = await overtaken.change(async (_, change) => {
      runs += 1
      // If the stamp were locked now, this would deadlock.
      if (runs === 1) await overtaking.change(nothing)
      return change
    })
    expect({ runs, number }).to.deep.equal({ runs: 2, number: 2 })
  })

  it('discards a load that a change overtook', async () => {
    let endOld: (value: number) => void = () => undefined
    const begun = new Promise<void>((resolve) => {
      load = () => {
        resolve()
        return new Promise((end) => (endOld = end))
      }
    })
    const overtaken = versionedCache.current()
    await begun
    await versionedCache.change(nothing)
    endOld(-1)
    expect(await overtaken).to.equal(-1)
    load = () => Promise.resolve(2)
    expect(await versionedCache.current()).to.equal(2)
  })

  it('loads again after a failed load', async () => {
    load = () => Promise.reject(new Error('lost'))
    await Promise.all(
      [1, 2].map(() =>
        versionedCache.current().then(
          () => expect.fail('was loaded'),
          (error: unknown) => expect(error).to.be.an('error').with.property('message', 'lost'),
        ),
      ),
    )
    load = () => Promise.resolve(3)
    expect(await versionedCache.current()).to.equal(3)
  })

  it('keeps the stamp if a change is refused', async () => {
    await versionedCache.current()
    await versionedCache
      .change(() => Promise.reject(new Error('refused')))
      .catch((error: unknown) => expect(error).to.have.property('message', 'refused'))
    expect(await versionedCache.change((_, change) => Promise.resolve(change))).to.equal(1)
  })

  it('reloads after the clock was set back', async () => {
    ms = 1_000_000
    const other = await open('clock')
    const elsewhere = await open('clock')
    await other.current()
    await elsewhere.change(nothing)
    ms = 0
    expect(await other.current()).to.equal(2)
  })
})
