import { expect } from 'chai'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import { resolveFilter } from '../../../src/mongo/read/resolve-filter.ts'
import { versionId } from '../../../src/mongo/versions/version-match.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const plan = planOf({
  attributes: {
    slug: { type: 'uid' },
    name: { type: 'string' },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
  },
  draftAndPublish: true,
  localized: true,
})
const rules = rulesWith('en', 'fr')
const documentIdOf = (number: number): string => `doc${number}`.padEnd(24, 'x')

describe('filters on a relation that match one document', () => {
  let test: TestDatabase
  let commands: string[] = []

  before(async () => {
    const monitor = createCommandMonitor('totals')
    monitor.onCommand(({ name }) => commands.push(name))
    test = await openTestDatabase('named', {}, { monitor })
    const rows = Array.from({ length: 5 }, (_, number) =>
      // The last one is only published in French.
      (['en', 'fr'] as const).slice(number === 4 ? 1 : 0).flatMap((locale) =>
        (['draft', 'published'] as const).map((status) => ({
          _id: versionId(documentIdOf(number), { locale, status }),
          documentId: documentIdOf(number),
          locale,
          status,
          slug: `s${number}`,
          name: 'same',
        })),
      ),
    )
    await test.database.collection<{ _id: string }>(plan.collectionName).insertMany(rows.flat())
  })
  beforeEach(() => {
    commands = []
  })
  after(() => test.drop())

  const matchOf = async (of: Data, query: Data = {}): Promise<unknown> => {
    const parsed = parseQuery({ ...query, filters: { others: of } }, plan, rules)
    const { filter, version, reader } = parsed
    return (await resolveFilter(test.database, filter, version, reader)).match
  }

  it('return the same as a filter with a list of one value', async () => {
    const values = [0, 1, 4, 9].flatMap((number) => [
      { member: 'documentId', value: documentIdOf(number) },
      { member: 'slug', value: `s${number}` },
    ])
    for (const query of [{}, { locale: 'fr' }, { status: 'draft' }, { locale: '*' }]) {
      for (const { member, value } of values) {
        const named = await matchOf({ [member]: { $eq: value } }, query)
        expect(named).to.deep.equal(await matchOf({ [member]: { $in: [value] } }, query))
      }
    }
  })

  it('share one command between concurrent requests of the same kind', async () => {
    const numbers = [0, 1, 2, 9]
    await Promise.all(numbers.map((number) => matchOf({ slug: { $eq: `s${number}` } })))
    expect(commands).to.deep.equal(['find'])
    await Promise.all(
      numbers.map((number) => matchOf({ documentId: { $eq: documentIdOf(number) } })),
    )
    expect(commands).to.deep.equal(['find', 'find'])
  })

  it('do not share a lookup if several documents may have the value', async () => {
    await matchOf({ name: { $eq: 'same' } })
    await matchOf({ slug: { $eq: 's1' } }, { status: 'draft' })
    expect(commands).to.deep.equal(['aggregate', 'aggregate'])
  })
})
