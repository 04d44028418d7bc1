import { expect } from 'chai'
import * as fc from 'fast-check'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { versionId } from '../../../src/mongo/versions/version-match.ts'
import { parseFilters } from '../../../src/query/parse-filters.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import type { QueryRules } from '../../../src/query/query.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const CODES = ['en', 'fr', 'de'] as const
const STATUSES = ['draft', 'published'] as const

const version = fc.record({
  locale: fc.constantFrom(...CODES),
  status: fc.constantFrom(...STATUSES),
  integer: fc.nat(2),
  boolean: fc.boolean(),
})

type Version = typeof version extends fc.Arbitrary<infer T> ? T : never

const versionsOfDocument = fc.uniqueArray(version, {
  maxLength: 6,
  selector: ({ locale, status }) => `${locale} ${status}`,
})

interface Condition {
  readonly asked: object
  readonly fits: (version: Version, versions: readonly Version[]) => boolean
}

const EVERY: Condition = { asked: {}, fits: () => true }
const FILTERS: readonly Condition[] = [
  EVERY,
  { asked: { filters: { integer: '1' } }, fits: ({ integer }) => integer === 1 },
  {
    asked: { filters: { $or: [{ integer: '0' }, { boolean: 'true' }] } },
    fits: (one) => one.integer === 0 || one.boolean,
  },
  {
    asked: { hasPublishedVersion: 'true' },
    fits: (_, versions) => versions.some(({ status }) => status === 'published'),
  },
]

const list = fc.record({
  chain: fc.shuffledSubarray([...CODES], { minLength: 2 }),
  status: fc.constantFrom(...STATUSES),
  isRuled: fc.boolean(),
  filter: fc.constantFrom(EVERY, ...FILTERS),
  countLimit: fc.integer({ min: 1, max: 12 }),
})

type List = typeof list extends fc.Arbitrary<infer T> ? T : never

/** Counts the documents whose first visible version fits. */
function countAll(
  documents: readonly (readonly Version[])[],
  { chain, status, isRuled, filter }: List,
): number {
  return documents.filter((versions) => {
    const visible = versions.filter((one) => one.status === status && (!isRuled || one.boolean))
    const [shown] = chain.flatMap((code) => visible.filter(({ locale }) => locale === code))
    return shown !== undefined && filter.fits(shown, versions)
  }).length
}

const rules = rulesWith(...CODES)

/** Only versions with `boolean` are visible. */
const ruled: QueryRules = {
  ...rules,
  readable: (plan: ContentTypePlan) => {
    const where = parseFilters({ boolean: 'true' }, plan, rules)
    return { plan, condition: where === null ? null : { kind: 'all', of: [where], isRule: true } }
  },
}

describe('counts with fallback locales', () => {
  const plan = planOf({ localized: true, draftAndPublish: true, collectionName: 'counted' })
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('count_fallbacks')
    await test.database.collection('counted').createIndex({ documentId: 1 }) // used by lookups
  })
  after(() => test.drop())

  async function store(documents: readonly (readonly Version[])[]): Promise<void> {
    const rows = documents.flatMap((versions, at) =>
      versions.map((one) => ({ ...one, _id: versionId(`d${at}`, one), documentId: `d${at}` })),
    )
    const table = test.database.table<(typeof rows)[number] & { readonly id: number }>('counted')
    await table.deleteMany({})
    if (rows.length > 0) await table.insertMany(rows.map((row, id) => ({ ...row, id })))
  }

  it('are those of a naive count, for any versions, rules and filters', async () => {
    const documents = fc.array(versionsOfDocument, { maxLength: 16 })
    const lists = fc.array(list, { minLength: 8, maxLength: 8 })
    const property = fc.asyncProperty(documents, lists, async (stored, asked) => {
      await store(stored)
      for (const one of asked) {
        // A rule may hide the published version, so such a list is refused.
        const isRuled = one.isRuled && !('hasPublishedVersion' in one.filter.asked)
        const [locale, ...others] = one.chain
        const query = { ...one.filter.asked, locale, fallbackLocale: others, status: one.status }
        const bounds = { countTimeoutMs: 60_000, countLimit: one.countLimit }
        const parsed = parseQuery(
          { ...query, fields: 'id', pagination: { pageSize: '100' } },
          plan,
          isRuled ? ruled : rules,
        )
        const { entries, total, notes } = await findEntries({ ...test.database, ...bounds }, parsed)
        const wanted = countAll(stored, { ...one, isRuled })
        expect(entries).to.have.length(wanted)
        expect(total).to.equal(Math.min(wanted, one.countLimit))
        expect(notes).to.deep.equal(wanted > one.countLimit ? ['capped'] : [])
      }
    })
    await fc.assert(property, { numRuns: 50 })
  })
})
