import { expect } from 'chai'
import * as fc from 'fast-check'
import { dayOf, monthOfDay } from '../../../src/mongo/read/calendar-expressions.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const LIMIT = 8.64e15

const DATES: readonly Date[] = [
  LIMIT,
  -LIMIT,
  0,
  -1,
  Date.UTC(2000, 1, 29),
  Date.UTC(2100, 1, 28),
  Date.UTC(2100, 2, 1),
  ...fc.sample(fc.integer({ min: -LIMIT, max: LIMIT }), { numRuns: 200, seed: 37 }),
  ...fc.sample(fc.integer({ min: Date.UTC(1890, 0), max: Date.UTC(2110, 0) }), {
    numRuns: 300,
    seed: 37,
  }),
].map((ms) => new Date(ms))

describe('expressions of the calendar', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('calendar')
    await test.database
      .collection('dates')
      .insertMany([...DATES.map((date, n) => ({ n, date })), { n: -1, date: null }, { n: -2 }])
  })

  after(() => test.drop())

  it('calculate the same days and months as JavaScript, over the whole range of dates', async () => {
    const stages = [
      { $sort: { n: -1 } },
      { $project: { _id: 0, n: 1, day: dayOf('$date'), month: monthOfDay(dayOf('$date')) } },
    ]
    const rows = await test.database.collection('dates').aggregate(stages).toArray()
    const expected = DATES.map((date, n) => ({
      n,
      day: Math.floor(date.getTime() / 86_400_000),
      month: date.getUTCFullYear() * 12 + date.getUTCMonth(),
    }))
    expect(rows).to.deep.equal([
      ...expected.toReversed(),
      { n: -1, day: null, month: null },
      { n: -2, day: null, month: null },
    ])
  })
})
