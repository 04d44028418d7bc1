import { expect } from 'chai'
import { commentsIn } from '../../../src/mongo/trash/entry-comments.ts'
import { openTrashSweep, sweepTrash } from '../../../src/mongo/trash/sweep-trash.ts'
import { deletionsIn, ensureTrash, trashedVersionsIn } from '../../../src/mongo/trash/trash-rows.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-06-01')

const { contentTypes } = compileSchema({
  contentTypes: [
    contentType('note', { localized: false, draftAndPublish: false }, { text: { type: 'string' } }),
  ],
  components: [],
})

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
        type: 'api::note.note',
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
  const swept = () => ({ database: test.database, contentTypes })
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
    expect(await sweepTrash(swept(), new Date(NOW - 30 * DAY_MS))).to.equal(205)
    expect(await left()).to.deep.equal(['young'])
  })

  it('deletes the comments of expired entries', async () => {
    await put(['old', 'written'], 31)
    await put(['young'], 29)
    const plan = contentTypes.get('api::note.note')
    if (plan === undefined) throw new Error('there are no notes')
    const written = { _id: 'written', documentId: 'written', locale: '' }
    await test.database.table(plan.collectionName).insertOne(written as never)
    const by = { id: 'a', name: 'Ada' }
    const comments = commentsIn(test.database)
    await comments.insertMany(
      ['old', 'young', 'written'].map((documentId) => ({
        _id: documentId,
        type: 'api::note.note',
        documentId,
        locale: '',
        attribute: null,
        text: 'x',
        by,
        mentions: [],
        createdAt: new Date(NOW),
        editedAt: null,
        resolved: null,
      })),
    )
    await sweepTrash(swept(), new Date(NOW - 30 * DAY_MS))
    const left = await comments.find().sort({ _id: 1 }).toArray()
    expect(left.map(({ _id }) => _id)).to.deep.equal(['written', 'young'])
  })

  it('runs periodically', async () => {
    await put(['old'], 31)
    await put(['young'], 29)
    const errors: unknown[] = []
    const sweep = openTrashSweep({
      sweepFiles: () => Promise.resolve(),
      ...swept(),
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
