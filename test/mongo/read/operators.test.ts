import { Decimal128 } from 'mongodb'
import { expect } from 'chai'
import { toBson } from '../../../src/mongo/versions/stored-value.ts'
import { translateFilter } from '../../../src/mongo/read/translate-filter.ts'
import { parseFilters } from '../../../src/query/parse-filters.ts'
import { OPERATORS } from '../../../src/query/query.ts'
import { fits, meaningOf, operandsOf, SAMPLES, TYPES } from '../../fixtures/operator-samples.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

describe('operators in the database', () => {
  const plan = planOf()
  let test: TestDatabase
  /** DocumentDB differs from MongoDB: 0.1 does not match 0.10 in a list of two, although `$eq` does. */
  let listsCompareDecimals: boolean

  before(async () => {
    test = await openTestDatabase('operators')
    const documents = TYPES.flatMap((type) => [
      ...SAMPLES[type].stored.map((value, n) => ({ type, n, [type]: toBson(value) })),
      { type, n: -1, [type]: null },
      { type, n: -2 },
    ])
    await test.database.collection(plan.collectionName).insertMany(documents)
    const tenth = { $in: ['0.1', '7'].map((text) => Decimal128.fromString(text)) }
    const found = { type: 'decimal', decimal: tenth }
    listsCompareDecimals =
      (await test.database.collection(plan.collectionName).countDocuments(found)) === 2
  })

  after(() => test.drop())

  const answer = async (
    type: keyof typeof SAMPLES,
    filters: object,
  ): Promise<readonly number[]> => {
    const filter = parseFilters({ [type]: filters }, plan, rulesWith('en'))
    const found = await test.database
      .collection<{ readonly n: number }>(plan.collectionName)
      .find({ $and: [{ type }, filter === null ? {} : translateFilter(filter)] })
      .toArray()
    return found.map(({ n }) => n).sort((a, b) => a - b)
  }

  for (const type of TYPES) {
    const { stored, operands } = SAMPLES[type]
    const values: readonly (readonly [number, unknown])[] = [
      [-2, null],
      [-1, null],
      ...stored.map((value, n) => [n, value] as const),
    ]
    for (const operator of OPERATORS.filter((operator) => fits(type, operator))) {
      it(`match the definition of $${operator} on ${type}`, async function () {
        if (type === 'decimal' && /in$/i.test(operator) && !listsCompareDecimals) this.skip()
        const cases = operandsOf(type, operator, operands)
        const found = await Promise.all(
          cases.map(([text]) => answer(type, { [`$${operator}`]: text })),
        )
        for (const [index, [text, operand]] of cases.entries()) {
          const meant = values.filter(([, value]) =>
            meaningOf(type, operator)(value, operand as never),
          )
          expect(found[index], JSON.stringify(text)).to.deep.equal(meant.map(([n]) => n))
        }
      })
    }

    it(`return the complement for $not on ${type}`, async () => {
      const [operand = ''] = operands
      const [is, isNot] = await Promise.all([
        answer(type, { $eq: operand }),
        answer(type, { $not: { $eq: operand } }),
      ])
      expect([...is, ...isNot].sort((a, b) => a - b)).to.deep.equal(values.map(([n]) => n))
    })
  }
})
