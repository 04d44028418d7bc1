import { expect } from 'chai'
import * as fc from 'fast-check'
import type { VersionDocument } from '../../../src/mongo/versions/stored-version.ts'
import { toBson } from '../../../src/mongo/versions/stored-value.ts'
import { translateFilter } from '../../../src/mongo/read/translate-filter.ts'
import { matchFilter } from '../../../src/mongo/rules/match.ts'
import { rowMatches } from '../../../src/mongo/rules/row-matches.ts'
import { parseFilters } from '../../../src/query/parse-filters.ts'
import { type Filter, OPERATORS } from '../../../src/query/query.ts'
import { fits, operandsOf, SAMPLES, TYPES } from '../../fixtures/operator-samples.ts'
import { pagePlan, planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const NOBODY = (): boolean => false

describe('matchFilter', () => {
  const plan = planOf()
  let test: TestDatabase
  const rows: VersionDocument[] = []

  before(async () => {
    test = await openTestDatabase('match_filter')
    const longest = Math.max(...TYPES.map((type) => SAMPLES[type].stored.length))
    for (let n = 0; n < longest + 2; n += 1) {
      const values = TYPES.map((type) => [type, toBson(SAMPLES[type].stored[n] ?? null)] as const)
      // A missing value and null are different in the database.
      rows.push({ _id: String(n), ...(n <= longest && Object.fromEntries(values)) })
    }
    await test.database.table<VersionDocument>(plan.collectionName).insertMany(rows)
  })
  after(() => test.drop())

  const stored = async (filter: Filter): Promise<readonly string[]> => {
    const found = await test.database
      .table<VersionDocument>(plan.collectionName)
      .find(translateFilter(filter))
      .toArray()
    return found.map(({ _id }) => _id).sort((one, other) => Number(one) - Number(other))
  }
  const read = async (): Promise<readonly VersionDocument[]> =>
    test.database.table<VersionDocument>(plan.collectionName).find().toArray()

  const compared = fc.constantFrom(...TYPES).chain((type) => {
    const operators = OPERATORS.filter((operator) => fits(type, operator))
    return fc.constantFrom(...operators).chain((operator) => {
      const operands = operandsOf(type, operator, SAMPLES[type].operands).map(([text]) => text)
      return fc
        .constantFrom(...operands)
        .map((operand): object => ({ [type]: { [`$${operator}`]: operand } }))
    })
  })
  const filters = fc.letrec<{ node: object }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      compared,
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((of) => ({ $and: of })),
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((of) => ({ $or: of })),
      tie('node').map((of) => ({ $not: of })),
    ),
  })).node

  it('decides as the database does, or not at all', async () => {
    const documents = await read()
    let decided = 0
    await fc.assert(
      fc.asyncProperty(filters, async (given) => {
        const filter = parseFilters(given, plan, rulesWith('en'))
        if (filter === null) return
        const found = await stored(filter)
        for (const row of documents) {
          const isMatch = matchFilter(filter, row, NOBODY)
          if (isMatch === null) continue
          decided += 1
          expect(isMatch, `${JSON.stringify(given)} ${row._id}`).to.equal(found.includes(row._id))
        }
      }),
      { numRuns: 300 },
    )
    expect(decided).to.be.greaterThan(1_000)
  })

  it('leaves text operators that ignore case, and JSON, to the database', () => {
    const decide = (given: object): boolean | null => {
      const filter = parseFilters(given, plan, rulesWith('en'))
      return filter === null ? true : matchFilter(filter, { string: 'a', json: [1] }, NOBODY)
    }
    expect(decide({ string: { $containsi: 'A' } })).to.equal(null)
    expect(decide({ json: { $eq: '1' } })).to.equal(null)
    expect(decide({ $not: { string: { $eqi: 'A' } } })).to.equal(null)
    expect(decide({ $or: [{ string: { $eqi: 'A' } }, { string: 'a' }] })).to.equal(true)
    expect(decide({ $and: [{ string: { $eqi: 'A' } }, { string: 'b' }] })).to.equal(false)
  })

  it('decides relations by stored documentIds, and asks the database for unknown targets', async () => {
    const page = pagePlan()
    const tags = page.attributes.get('tags')
    if (tags?.kind !== 'relation') throw new Error('tags')
    const [known, unknown] = ['a'.repeat(24), 'b'.repeat(24)]
    const row = { _id: 'page:en:published', locale: 'en', status: 'published', tags: [known] }
    const versions = test.database.table<VersionDocument>(page.collectionName)
    await versions.insertMany([row])
    const target = { locale: '', status: 'published', documentId: known, name: 'red' }
    await test.database
      .table<VersionDocument>(tags.target().collectionName)
      .insertMany([{ _id: `${known}::published`, ...target }])
    const decide = async (given: object, isKnown = NOBODY): Promise<readonly unknown[]> => {
      const filter = parseFilters(given, page, rulesWith('en'))
      if (filter === null) throw new Error('no filter')
      const matcher = { database: test.database, isKnown, locale: 'en' }
      const asked = { plan: page, row, session: undefined }
      return [matchFilter(filter, row, isKnown), await rowMatches(matcher, asked, filter)]
    }
    expect(await decide({ tags: { documentId: unknown } })).to.deep.equal([false, false])
    expect(await decide({ tags: { documentId: { $in: [known] } } })).to.deep.equal([null, true])
    const isKnown = (): boolean => true
    expect(await decide({ tags: { documentId: known } }, isKnown)).to.deep.equal([true, true])
    expect(await decide({ $not: { tags: { documentId: known } } })).to.deep.equal([null, false])
    expect(await decide({ tags: { name: 'red' } })).to.deep.equal([null, true])
    expect(await decide({ tags: { name: 'blue' } })).to.deep.equal([null, false])
    expect(await decide({ $not: { tags: { name: 'blue' } } })).to.deep.equal([null, true])
  })
})
