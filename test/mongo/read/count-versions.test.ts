import { expect } from 'chai'
import type { FoundDocuments } from '../../../src/content/read/find-documents.ts'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

/** Enough for a full count to be slow while a page is still fast. */
const STORED = 4000
const TEXT = 'lorem ipsum dolor sit amet '.repeat(100)
const SLOW = {
  $and: Array.from({ length: 40 }, (_, word) => ({
    text: { $notContainsi: `no such word ${word}` },
  })),
}

describe('counts of lists', () => {
  const plan = planOf()
  const drafts = planOf({ draftAndPublish: true })
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('count')
    const collection = test.database.collection(plan.collectionName)
    await collection.createIndex({ documentId: 1 }) // used by lookups
    await collection.insertMany(
      Array.from({ length: STORED }, (_, id) => ({
        id,
        documentId: `d${id}`,
        locale: '',
        status: id % 2 === 0 ? 'published' : 'draft',
        integer: id % 10,
        text: `${TEXT}${id}`,
      })),
    )
  })

  after(() => test.drop())

  function find(
    asked: object,
    bounds: Partial<Pick<Database, 'countLimit' | 'countTimeoutMs' | 'readAtOnce'>> = {},
    of: ContentTypePlan = plan,
  ): Promise<FoundDocuments> {
    const query = parseQuery({ fields: 'id', ...asked }, of, rulesWith('en'))
    return findEntries({ ...test.database, countTimeoutMs: 60_000, ...bounds }, query)
  }

  const published = STORED / 2
  const counted: readonly (readonly [string, object, number, number, readonly string[]])[] = [
    ['are exact up to the limit', {}, published, published, []],
    ['stop at the limit', {}, published - 1, published - 1, ['capped']],
    ['are exact far below the limit', {}, 1_000_000, published, []],
    ['include only filtered entries', { filters: { integer: '4' } }, 1000, STORED / 10, []],
    ['stop at the limit with a filter', { filters: { integer: '4' } }, 7, 7, ['capped']],
    ['are zero without matches', { filters: { integer: '11' } }, 1, 0, []],
    [
      'estimate a filtered list by counting to the limit',
      { filters: { integer: '4' }, pagination: { withCount: 'estimate' } },
      50,
      50,
      ['capped', 'estimated'],
    ],
  ]
  for (const [label, asked, countLimit, total, notes] of counted) {
    it(label, async () => {
      expect(await find(asked, { countLimit })).to.deep.include({ total, notes })
    })
  }

  it('run once for concurrent requests', async () => {
    let counts = 0
    const readAtOnce: Database['readAtOnce'] = (command) => {
      if ('aggregate' in command) counts += 1
      return test.database.readAtOnce(command)
    }
    const found = await Promise.all(Array.from({ length: 20 }, () => find({}, { readAtOnce })))
    expect(found.map(({ total }) => total)).to.deep.equal(Array(20).fill(published))
    expect(counts).to.be.within(1, 2)
  })

  it('estimate a whole list from collection metadata regardless of the limit', async () => {
    const pagination = { withCount: 'estimate' }
    expect(await find({ pagination }, { countLimit: 1 })).to.deep.include({
      total: STORED,
      notes: ['estimated'],
    })
  })

  it('separate drafts and published versions in an estimate', async () => {
    const pagination = { withCount: 'estimate' }
    expect(await find({ pagination }, {}, drafts)).to.deep.include({
      total: published,
      notes: ['estimated'],
    })
    const modified = { status: 'draft', hasPublishedVersion: 'true', pagination }
    expect((await find(modified, {}, drafts)).total).to.equal(0)
  })

  it('stop at the limit for conditions with a lookup', async () => {
    const unpublished = { status: 'draft', hasPublishedVersion: 'false' }
    expect(await find(unpublished, { countLimit: 9 }, drafts)).to.deep.include({
      total: 9,
      notes: ['capped'],
    })
    expect(await find(unpublished, {}, drafts)).to.deep.include({ total: published, notes: [] })
  })

  describe('with fallback locales', () => {
    const localized = planOf({ localized: true, collectionName: 'localized_things' })
    const locales = { locale: 'fr', fallbackLocale: 'en' }
    /** Each third document has both locales, and the others one of them. A fifth has a locale that is not requested. */
    const DOCUMENTS = 300

    before(async () => {
      const versions = Array.from({ length: DOCUMENTS }, (_, at) => {
        const own = [['fr'], ['en'], ['fr', 'en']][at % 3] ?? []
        return (at % 5 === 0 ? [...own, 'de'] : own).map((locale) => ({ at, locale }))
      }).flat()
      const rows = versions.map(({ at, locale }, id) => ({
        id,
        documentId: `d${at}`,
        locale,
        status: 'published',
        integer: locale === 'fr' ? 1 : 2,
      }))
      const foreign = { id: rows.length, documentId: 'foreign', locale: 'de', status: 'published' }
      await test.database.collection('localized_things').insertMany([...rows, foreign])
    })

    const countIn = async (
      asked: object,
      countLimit: number,
    ): Promise<{ readonly found: FoundDocuments; readonly lookups: number }> => {
      let lookups = 0
      const readAtOnce: Database['readAtOnce'] = (command) => {
        const text = JSON.stringify(command)
        if (text.includes('"$sum"') && text.includes('"$lookup"')) lookups += 1
        return test.database.readAtOnce(command)
      }
      const codes = rulesWith('en', 'fr', 'de')
      const query = parseQuery({ fields: 'id', ...locales, ...asked }, localized, codes)
      const bounds = { countTimeoutMs: 60_000, countLimit, readAtOnce }
      return { found: await findEntries({ ...test.database, ...bounds }, query), lookups }
    }

    for (const [countLimit, total, notes] of [
      [DOCUMENTS, DOCUMENTS, []],
      [DOCUMENTS - 1, DOCUMENTS - 1, ['capped']],
      [1, 1, ['capped']],
      [1_000_000, DOCUMENTS, []],
    ] as const) {
      it(`include each document once without a lookup per entry, up to ${countLimit}`, async () => {
        const { found, lookups } = await countIn({}, countLimit)
        expect(found).to.deep.include({ total, notes })
        expect(lookups).to.equal(0)
      })
    }

    it('include only documents with a match in the shown locale', async () => {
      const { found, lookups } = await countIn({ filters: { integer: '2' } }, 1_000)
      expect(found.total).to.equal(DOCUMENTS / 3)
      expect(lookups).to.equal(1)
    })
  })

  it('are skipped on request', async () => {
    const found = await find({ pagination: { withCount: 'false' } })
    expect(found).to.deep.include({ total: null, notes: [] })
  })

  it('time out without failing the list', async () => {
    const asked = { filters: SLOW, pagination: { pageSize: '1' } }
    expect(await find(asked)).to.deep.include({ total: published, notes: [] })
    const found = await find(asked, { countTimeoutMs: 1 })
    expect(found).to.deep.include({ total: null, notes: ['countTimedOut'] })
    expect(found.entries.map(({ documentId }) => documentId)).to.deep.equal(['d0'])
  })

  it('do not block the list if they never end', async () => {
    const readAtOnce: Database['readAtOnce'] = (command) =>
      'aggregate' in command ? new Promise(() => undefined) : test.database.readAtOnce(command)
    const found = await find({ pagination: { pageSize: '1' } }, { countTimeoutMs: 50, readAtOnce })
    expect(found).to.deep.include({ total: null, notes: ['countTimedOut'] })
    expect(found.entries.map(({ documentId }) => documentId)).to.deep.equal(['d0'])
  })
})
