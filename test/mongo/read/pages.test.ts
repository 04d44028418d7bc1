import { expect } from 'chai'
import * as fc from 'fast-check'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { toBson } from '../../../src/mongo/versions/stored-value.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { Decimal } from '../../../src/schema/values/decimal.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const plan = planOf({
  attributes: {
    text: { type: 'string' },
    whole: { type: 'integer' },
    big: { type: 'biginteger' },
    exact: { type: 'decimal' },
    moment: { type: 'datetime' },
    flag: { type: 'boolean' },
  },
})
const rules = rulesWith('en')

/** Few distinct values each, for many ties. Undefined is not stored. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  text: ['', 'a', 'A', 'é', 'b\n', null, undefined],
  whole: [-1, 0, 7, null, undefined],
  big: [9007199254740992n, 9007199254740993n, null],
  exact: ['0.1', '0.10000000000000000001', '-3'].map((text) => Decimal.parse(text)),
  moment: [new Date(0), new Date(1), new Date('2024-01-01'), null],
  flag: [true, false, null, undefined],
}

/** Returns scattered but deterministic values. */
function documentOf(id: number): Data {
  const picked = Object.entries(VALUES).flatMap(([name, values], index) => {
    const value = values[(id * 7919 + (id % 13) * (index + 3)) % values.length]
    return value === undefined ? [] : [[name, toBson(value)] as const]
  })
  const times = { createdAt: new Date(0), updatedAt: new Date(0), publishedAt: new Date(0) }
  return {
    _id: `d${id}`,
    id,
    documentId: `d${id}`,
    locale: '',
    status: 'published',
    ...times,
    ...Object.fromEntries(picked),
  }
}

const sortText = fc
  .uniqueArray(fc.constantFrom(...Object.keys(VALUES), 'id'), { minLength: 1, maxLength: 3 })
  .chain((names) =>
    fc
      .array(fc.constantFrom('asc', 'desc'), { minLength: names.length, maxLength: names.length })
      .map((orders) => names.map((name, index) => `${name}:${orders[index] ?? 'asc'}`).join(',')),
  )

describe('pages by cursor', () => {
  let test: TestDatabase
  const collection = () => test.database.collection(plan.collectionName)

  before(async () => {
    test = await openTestDatabase('pages')
    const ids = Array.from({ length: 60 }, (_, index) => index + 1)
    await collection().insertMany(ids.map(documentOf))
  })

  after(() => test.drop())

  /** Reads all pages and calls `between` after each page. */
  async function walk(
    sort: string,
    pageSize: number,
    between: (page: number) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<readonly unknown[]> {
    const seen: unknown[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null; page += 1) {
      expect(page, 'pages').to.be.below(100)
      const query = { sort, pagination: { cursor, pageSize: String(pageSize) } }
      const found = await findEntries(test.database, parseQuery(query, plan, rules))
      seen.push(...found.entries.map((entry) => entry['id']))
      cursor = found.nextCursor
      await between(page)
    }
    return seen
  }

  async function sorted(sort: string): Promise<readonly unknown[]> {
    const query = { sort, pagination: { pageSize: '100' } }
    const found = await findEntries(test.database, parseQuery(query, plan, rules))
    return found.entries.map((entry) => entry['id'])
  }

  it('contain each entry of the sorted list once for any sort and size', async () => {
    await fc.assert(
      fc.asyncProperty(sortText, fc.integer({ min: 7, max: 70 }), async (sort, pageSize) => {
        expect(await walk(sort, pageSize)).to.deep.equal(await sorted(sort))
      }),
      { numRuns: 40 },
    )
  })

  it('end at a page boundary', async () => {
    expect(await walk('id', 60)).to.have.length(60)
    expect(await walk('id', 30)).to.have.length(60)
  })

  it('contain untouched entries exactly once during concurrent inserts and deletes', async () => {
    await fc.assert(
      fc.asyncProperty(sortText, fc.array(fc.nat(59)), async (sort, removed) => {
        const before = await sorted(sort)
        const victims = removed.map((index) => `d${index + 1}`)
        const seen = await walk(sort, 15, async (page) => {
          const id = 1000 + page
          await collection().insertOne(documentOf(id))
          const victim = victims[page]
          if (victim !== undefined) await collection().deleteOne({ _id: victim as never })
        })
        const stays = before.filter((id) => !victims.includes(`d${String(id)}`))
        expect(seen.filter((id) => stays.includes(id))).to.deep.equal(stays)
        expect(new Set(seen).size).to.equal(seen.length)
        await collection().deleteMany({ id: { $gte: 1000 } })
        const left = await sorted(sort)
        const missing = before.filter((id) => !left.includes(id))
        if (missing.length > 0) {
          await collection().insertMany(missing.map((id) => documentOf(Number(id))))
        }
      }),
      { numRuns: 15 },
    )
  })
})
