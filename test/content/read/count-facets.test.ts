import { expect } from 'chai'
import { countFacets } from '../../../src/content/read/count-facets.ts'
import type { SearchQuery } from '../../../src/content/read/find-searched.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const KINDS = Array.from({ length: 101 }, (_, at) => `k${String(at).padStart(3, '0')}`)

const { contentTypes } = compileSchema({
  contentTypes: [
    {
      ...contentType(
        'page',
        { localized: false, draftAndPublish: false },
        { title: { type: 'string' }, kind: { type: 'enumeration', enum: KINDS } },
      ),
      search: { title: 1 },
    },
  ],
  components: [],
})

describe('counts of facets', () => {
  let test: TestDatabase
  let query: SearchQuery

  before(async () => {
    test = await openTestDatabase('count_facets')
    await syncIndexes(test.database, [...compileCollections({ contentTypes }).values()])
    const plan = contentTypes.get('api::page.page')
    if (plan === undefined) throw new Error('there is no page')
    const asked = { search: { query: 'x', facets: 'kind' } }
    query = parseQuery(asked, plan, rulesWith('en')) as SearchQuery
    const rows = [...KINDS, 'k050', null].map((kind, id) => ({
      _id: `d${id}::published`,
      id,
      documentId: `d${id}`,
      locale: '',
      status: 'published',
      kind,
    }))
    await test.database.collection<(typeof rows)[number]>(plan.collectionName).insertMany(rows)
  })
  after(() => test.drop())

  const count = (ids: readonly string[], isEstimated = false) =>
    countFacets(test.database, query, ids, isEstimated)
  const all = Array.from({ length: KINDS.length + 2 }, (_, id) => `d${id}::published`)

  it('have at most 100 values, the most frequent ones first', async () => {
    const { kind } = await count(all)
    expect(kind?.counts.slice(0, 3)).to.deep.equal([
      { value: 'k050', count: 2 },
      { value: null, count: 1 },
      { value: 'k000', count: 1 },
    ])
    expect([kind?.counts.length, kind?.capped]).to.deep.equal([100, true])
    const { kind: fewer } = await count(all.slice(0, 100))
    expect([fewer?.counts.length, fewer?.capped]).to.deep.equal([100, undefined])
  })

  it('include the named versions only', async () => {
    expect(await count(all.slice(3, 4))).to.deep.equal({
      kind: { counts: [{ value: 'k003', count: 1 }] },
    })
    expect(await count([])).to.deep.equal({ kind: { counts: [] } })
  })

  it('are estimates if a search checked a part of the entries', async () => {
    const { kind } = await count(all.slice(0, 1), true)
    expect(kind).to.deep.equal({ counts: [{ value: 'k000', count: 1 }], estimated: true })
  })
})
