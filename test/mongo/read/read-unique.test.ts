import { expect } from 'chai'
import * as fc from 'fast-check'
import { findDocument } from '../../../src/content/read/find-documents.ts'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { ValidationError } from '../../../src/base/errors.ts'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { versionId } from '../../../src/mongo/versions/version-match.ts'
import { measureAnswer } from '../../../src/query/answer-size.ts'
import { parseEntryQuery, parseQuery } from '../../../src/query/parse-query.ts'
import type { Status } from '../../../src/query/query.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const plan = planOf({
  attributes: {
    slug: { type: 'uid' },
    title: { type: 'string' },
    settings: { type: 'json' },
    secret: { type: 'string', private: true },
  },
  draftAndPublish: true,
  localized: true,
})
const rules = rulesWith('en', 'fr')
const DOCUMENTS = 12
const documentIdOf = (number: number): string => `doc${number}`.padEnd(24, 'x')

interface Asked extends Data {
  readonly fields?: string
  readonly locale?: string
  readonly status?: Status
}

/** A read of one entry in client parameters. */
type Question =
  | { readonly by: 'documentId'; readonly number: number; readonly query: Asked }
  | { readonly by: 'slug'; readonly number: number; readonly query: Asked }

const question: fc.Arbitrary<Question> = fc.record({
  by: fc.constantFrom('documentId' as const, 'slug' as const),
  number: fc.integer({ min: 0, max: DOCUMENTS + 2 }), // the last ones do not exist
  query: fc.record(
    {
      fields: fc.constantFrom('title', 'slug,title', 'settings'),
      locale: fc.constantFrom('en', 'fr'),
      status: fc.constantFrom('draft', 'published'),
    },
    { requiredKeys: [] },
  ),
})

describe('batched reads of single entries', () => {
  let test: TestDatabase
  let database: Database
  let commands: string[] = []

  before(async () => {
    test = await openTestDatabase('unique')
    const monitor = createCommandMonitor('totals')
    monitor.onCommand(({ name }) => commands.push(name))
    const { uri, name } = test
    database = await openDatabase({ uri, name, queryTimeoutMs: 10_000, monitor })
    const rows = Array.from({ length: DOCUMENTS }, (_, number) =>
      (['en', 'fr'] as const).flatMap((locale) =>
        (['draft', 'published'] as const).map((status) => versionOf(number, locale, status)),
      ),
    )
    await database.collection<{ _id: string }>(plan.collectionName).insertMany(rows.flat())
  })
  beforeEach(() => {
    commands = []
  })
  after(async () => {
    await database.close()
    await test.drop()
  })

  function versionOf(
    number: number,
    locale: string,
    status: Status,
  ): { readonly _id: string } & Data {
    const documentId = documentIdOf(number)
    const now = new Date(number)
    return {
      _id: versionId(documentId, { locale, status }),
      id: number,
      documentId,
      locale,
      status,
      slug: `s${number}`,
      title: `${number} ${locale} ${status}`,
      settings: { tags: [number, locale] },
      secret: 'hidden',
      createdAt: now,
      updatedAt: now,
      publishedAt: status === 'draft' ? null : now,
      _revision: `r${number}`,
    }
  }

  const readOf = async ({ by, number, query }: Question): Promise<unknown> => {
    if (by === 'slug') {
      const filters = { slug: { $eq: `s${number}` } }
      const { entries, total } = await findEntries(
        database,
        parseQuery({ ...query, filters }, plan, rules),
      )
      return { entries, total }
    }
    const key = {
      locale: query.locale ?? 'en',
      status: query.status ?? 'published',
    }
    return findDocument(database, documentIdOf(number), key, parseEntryQuery(query, plan, rules))
  }

  it('return the same as individual reads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(question, { minLength: 1, maxLength: 40 }), async (questions) => {
        const together = await Promise.all(questions.map(readOf))
        const apart: unknown[] = []
        for (const each of questions) apart.push(await readOf(each))
        expect(together).to.deep.equal(apart)
      }),
      { numRuns: 40 },
    )
  })

  it('use one command for reads that differ only in their value', async () => {
    const questions: Question[] = Array.from({ length: DOCUMENTS }, (_, number) => ({
      by: 'documentId',
      number,
      query: {},
    }))
    await Promise.all(questions.map(readOf))
    expect(commands).to.deep.equal(['find'])
    await Promise.all(questions.map((each) => readOf({ ...each, by: 'slug' })))
    expect(commands).to.deep.equal(['find', 'find'])
  })

  it('use one command for reads with the same further condition', async () => {
    const title = '3 en published'
    const read = (number: number): Promise<unknown> => {
      const filters = { title: { $in: [title] } }
      const query = { ...parseEntryQuery({}, plan, rules), ...parseQuery({ filters }, plan, rules) }
      const key = { locale: 'en', status: 'published' } as const
      return findDocument(database, documentIdOf(number), key, query)
    }
    const found = await Promise.all(Array.from({ length: 5 }, (_, number) => read(number)))
    expect(commands).to.deep.equal(['find'])
    expect(found.map((one) => one !== null)).to.deep.equal([false, false, false, true, false])
  })

  it('return separate objects', async () => {
    const same: Question = { by: 'documentId', number: 1, query: {} }
    const [one, other] = (await Promise.all([readOf(same), readOf(same)])) as {
      readonly entry: Data
    }[]
    expect(one).to.deep.equal(other)
    expect(one?.entry['settings']).not.to.equal(other?.entry['settings'])
  })

  it('reject only the read with the oversized response', async () => {
    const read = (maxBytes: number): Promise<unknown> => {
      const query = parseEntryQuery({}, plan, rules)
      const answer = measureAnswer({ maxEntries: 10, maxBytes })
      const bounded = { ...query, reader: { ...query.reader, answer } }
      const key = { locale: 'en', status: 'published' } as const
      return findDocument(database, documentIdOf(2), key, bounded)
    }
    const [small, large] = await Promise.allSettled([read(10), read(10_000)])
    expect(small.status === 'rejected' && (small.reason as unknown)).to.be.instanceOf(
      ValidationError,
    )
    expect(large.status).to.equal('fulfilled')
    expect(commands).to.deep.equal(['find'])
  })
})
