import { expect } from 'chai'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { GatewayTimeoutError } from '../../../src/base/errors.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

describe('a query that takes too long', () => {
  const plan = planOf()
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('slow')
    const text = 'lorem ipsum dolor sit amet '.repeat(200)
    await test.database.collection(plan.collectionName).insertMany(
      Array.from({ length: 2000 }, (_, id) => ({
        id,
        documentId: `d${id}`,
        locale: '',
        status: 'published',
        text: `${text}${id}`,
      })),
    )
  })

  after(() => test.drop())

  it('is stopped by the database and responds with 504', async () => {
    const query = parseQuery(
      {
        filters: {
          $or: [{ text: { $endsWithi: 'no such end' } }, { text: { $containsi: 'none' } }],
        },
        sort: 'text',
      },
      plan,
      rulesWith('en'),
    )
    const failed = await findEntries({ ...test.database, queryTimeoutMs: 1 }, query).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failed).to.be.instanceOf(GatewayTimeoutError)
    expect(failed).to.include({ status: 504, message: 'The query took too long' })
    expect((await findEntries(test.database, query)).total).to.equal(0)
  })
})
