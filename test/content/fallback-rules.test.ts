import { expect } from 'chai'
import { findEntries } from '../../src/content/read/find-entries.ts'
import { compileCollections } from '../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../src/mongo/indexes/sync-indexes.ts'
import { insertVersions } from '../../src/mongo/write/write-versions.ts'
import { parseFilters } from '../../src/query/parse-filters.ts'
import { parseQuery } from '../../src/query/parse-query.ts'
import type { QueryRules } from '../../src/query/query.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { contentType } from '../fixtures/definitions.ts'
import { rulesWith } from '../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** More than one read of related entries takes. */
const PAGES = 1_010

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const schema = compileSchema({
  contentTypes: [
    contentType(
      'page',
      { localized: true, draftAndPublish: false },
      {
        open: { type: 'boolean', ...LOCALIZED },
        crate: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'api::crate.crate',
          inversedBy: 'pages',
        },
      },
    ),
    contentType(
      'crate',
      { localized: false, draftAndPublish: false },
      {
        pages: {
          type: 'relation',
          relation: 'oneToMany',
          target: 'api::page.page',
          mappedBy: 'crate',
        },
      },
    ),
  ],
  components: [],
})

function planOf(name: string): ContentTypePlan {
  const plan = schema.contentTypes.get(`api::${name}.${name}`)
  if (plan === undefined) throw new Error(`there is no ${name}`)
  return plan
}

const idOf = (name: string, index: number): string =>
  `${name}${String(index).padStart(24 - name.length, '0')}`
const locales = rulesWith('en', 'fr')

/** Only pages that are open are visible. */
const rules: QueryRules = {
  ...locales,
  readable: (plan) => {
    const where = plan === planOf('page') ? parseFilters({ open: 'true' }, plan, locales) : null
    return {
      plan,
      condition: where === null ? null : { kind: 'all', of: [where], isRule: true },
    }
  },
}

describe('fallback locales of many related entries', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('fallback_rules')
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    const at = new Date(0)
    const shared = { status: 'published', createdAt: at, updatedAt: at, publishedAt: at } as const
    const crate = { ...shared, id: 1, documentId: idOf('crate', 0), locale: '' }
    const pages = Array.from({ length: PAGES }, (_, index) =>
      ['fr', 'en'].map((locale, second) => ({
        ...shared,
        id: 2 * index + second + 1,
        documentId: idOf('page', index),
        locale,
        open: locale === 'en',
        crate: crate.documentId,
      })),
    ).flat()
    await test.database.transact(async (session) => {
      await insertVersions(test.database, planOf('crate'), [crate], session)
      await insertVersions(test.database, planOf('page'), pages, session)
    })
  })

  after(() => test.drop())

  it('are chosen among the versions that a rule shows', async () => {
    const range = { pagination: { start: '3', limit: '4' } }
    const query = { locale: 'fr', fallbackLocale: 'en', populate: { pages: range } }
    const database = { ...test.database, queryTimeoutMs: 60_000 }
    const { entries } = await findEntries(database, parseQuery(query, planOf('crate'), rules))
    const { pages } = entries[0] as { readonly pages: readonly Record<string, unknown>[] }
    expect(pages.map(({ documentId, locale, open }) => [documentId, locale, open])).to.deep.equal(
      [3, 4, 5, 6].map((index) => [idOf('page', index), 'en', true]),
    )
  })
})
