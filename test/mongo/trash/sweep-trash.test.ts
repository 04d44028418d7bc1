import { expect } from 'chai'
import { openTrashSweep, sweepTrash } from '../../../src/mongo/trash/sweep-trash.ts'
import { deletionsIn, ensureTrash, trashedVersionsIn } from '../../../src/mongo/trash/trash-rows.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-06-01')

describe('the sweep of the trash', () => {
  let test: TestDatabase

  beforeEach(async () => {
    test = await openTestDatabase('trash_sweep', {}, { trashDays: 30 })
    await ensureTrash(test.database)
  })
  afterEach(() => test.drop())

  const put = async (ids: readonly string[], daysAgo: number): Promise<void> => {
    const at = new Date(NOW - daysAgo * DAY_MS)
    const by = { kind: 'root', id: null, name: null }
    await deletionsIn(test.database).insertMany(
      ids.map((_id) => ({
        _id,
        type: 'api::a.a',
        documentId: _id,
        locales: [''],
        title: '',
        at,
        by,
        requestId: null,
        commit: _id,
      })),
    )
    await trashedVersionsIn(test.database).insertMany(
      ids.map((deletion) => {
        const version = { deletion, locale: '', status: 'draft' as const, version: {} }
        return { _id: `${deletion}::draft`, ...version }
      }),
    )
  }
  const left = async (): Promise<readonly string[]> => {
    const rows = await deletionsIn(test.database).find().sort({ _id: 1 }).toArray()
    const versions = await trashedVersionsIn(test.database).find().sort({ _id: 1 }).toArray()
    const ids = rows.map(({ _id }) => _id)
    expect(versions.map(({ deletion }) => deletion)).to.deep.equal(ids)
    return ids
  }

  it('deletes all expired entries and no others', async () => {
    await put(
      Array.from({ length: 205 }, (_, index) => `old${index}`),
      31,
    )
    await put(['young'], 29)
    expect(await sweepTrash(test.database, new Date(NOW - 30 * DAY_MS))).to.equal(205)
    expect(await left()).to.deep.equal(['young'])
  })

  it('runs periodically', async () => {
    await put(['old'], 31)
    await put(['young'], 29)
    const errors: unknown[] = []
    const sweep = openTrashSweep({
      database: test.database,
      now: () => new Date(NOW),
      onBackgroundError: (error) => errors.push(error),
      everyMs: 10,
    })
    await until(async () => (await deletionsIn(test.database).countDocuments()) === 1, 5_000)
    await sweep.close()
    expect(await left()).to.deep.equal(['young'])
    expect(errors).to.deep.equal([])
  })
})
