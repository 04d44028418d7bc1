import { expect } from 'chai'
import {
  array,
  assert as assertProperty,
  asyncProperty,
  boolean,
  constantFrom,
  nat,
  option,
  record,
} from 'fast-check'
import { GatewayTimeoutError } from '../../../src/base/errors.ts'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import {
  STATE_ALONE,
  STATE_CHANGED,
  STATE_FIELD,
  STATE_SAME,
  STATE_UNKNOWN,
} from '../../../src/mongo/versions/version-fields.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { PUBLICATION_FILTERS } from '../../../src/query/query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Data } from '../../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

/** No machine takes longer, so that each count has a result. */
const COUNT_TIMEOUT_MS = 120_000

const localized = { pluginOptions: { i18n: { localized: true } } }

const { contentTypes } = compileSchema({
  contentTypes: [
    contentType(
      'page',
      { localized: true, draftAndPublish: true },
      { title: { type: 'string', ...localized } },
    ),
    contentType('note', { localized: false, draftAndPublish: true }, { title: { type: 'string' } }),
  ],
  components: [],
})

const MOMENTS = [0, 1, 2].map((day) => new Date(Date.UTC(2026, 0, 1 + day)))

/** The versions of a locale. A published version of unknown state may have a draft of any state. */
const line = record({
  kind: constantFrom('none', 'draft', 'published', 'same', 'changed'),
  updated: nat(2),
  published: nat(2),
  draftState: constantFrom('known', 'known', 'unknown', 'missing'),
  publishedState: constantFrom('known', 'known', 'unknown', 'missing'),
  wrongState: constantFrom(STATE_SAME, STATE_CHANGED, STATE_ALONE),
})
type Line = ReturnType<typeof line.generate>['value']

const documents = array(record({ en: line, fr: line }), { maxLength: 8 })

const question = record({
  locale: constantFrom('en', 'fr', '*'),
  status: constantFrom('draft', 'draft', 'draft', 'published'),
  publicationFilter: option(constantFrom(...PUBLICATION_FILTERS), { nil: undefined }),
  hasPublishedVersion: option(constantFrom('true', 'false'), { nil: undefined }),
  sort: constantFrom('documentId', 'title:desc'),
  start: nat(3),
  limit: nat(4),
  isSettled: boolean(),
})

function stateFields(state: string, known: number): object {
  if (state === 'missing') return {}
  return { [STATE_FIELD]: state === 'unknown' ? STATE_UNKNOWN : known }
}

function rowsOf(index: number, locale: string, one: Line): readonly object[] {
  if (one.kind === 'none') return []
  const documentId = `d${String(index).padStart(23, '0')}`
  const row = (status: string, title: string, state: object): object => ({
    _id: `${documentId}:${locale}:${status}`,
    id: 2 * index + (locale === 'fr' ? 1 : 0),
    documentId,
    locale,
    status,
    title,
    updatedAt: MOMENTS[one.updated],
    publishedAt: status === 'published' ? MOMENTS[one.published] : null,
    ...state,
  })
  const isDrafted = one.kind !== 'published'
  const isPublished = one.kind !== 'draft'
  const known = !isPublished ? STATE_ALONE : one.kind === 'changed' ? STATE_CHANGED : STATE_SAME
  // The state of a draft counts only while the state of its published version is known.
  const isReliable = !isPublished || one.publishedState === 'known'
  const ofDraft = stateFields(one.draftState, isReliable ? known : one.wrongState)
  const title = one.kind === 'changed' ? 'b' : 'a'
  return [
    ...(isDrafted ? [row('draft', title, ofDraft)] : []),
    ...(isPublished ? [row('published', 'a', stateFields(one.publishedState, known))] : []),
  ]
}

describe('filters by publication', () => {
  let test: TestDatabase
  before(async () => {
    // A count at its deadline has no total.
    const patient = { queryTimeoutMs: 120_000, countTimeoutMs: 110_000 }
    test = await openTestDatabase('stored_publication', {}, patient)
    await syncIndexes(test.database, [...compileCollections({ contentTypes }).values()])
  })
  after(() => test.drop())

  const planOf = (type: string): ContentTypePlan => {
    const plan = contentTypes.get(`api::${type}.${type}`)
    if (plan === undefined) throw new Error(`there is no ${type}`)
    return plan
  }
  const fill = async (plan: ContentTypePlan, rows: readonly object[]): Promise<void> => {
    const collection = test.database.collection(plan.collectionName)
    await collection.deleteMany({})
    if (rows.length > 0) await collection.insertMany([...rows])
  }
  const ask = async (database: Database, plan: ContentTypePlan, query: Data): Promise<object> => {
    const parsed = parseQuery(query, plan, rulesWith('en', 'fr'))
    const { entries, total } = await findEntries(database, parsed)
    return { entries: entries.map((entry) => [entry['documentId'], entry['locale']]), total }
  }

  for (const type of ['page', 'note'] as const) {
    it(`agree with a join for any states of a ${type}, with unknown ones among them`, async () => {
      const plan = planOf(type)
      const property = asyncProperty(
        documents,
        array(question, { minLength: 4 }),
        async (all, questions) => {
          const rows = all.flatMap(({ en, fr }, index) =>
            plan.localized
              ? [...rowsOf(index, 'en', en), ...rowsOf(index, 'fr', fr)]
              : rowsOf(index, '', en),
          )
          for (const { isSettled, start, limit, locale, ...given } of questions) {
            await fill(plan, rows)
            const query = {
              ...Object.fromEntries(
                Object.entries(given).filter(([, value]) => value !== undefined),
              ),
              ...(plan.localized && { locale }),
              pagination: { start: String(start), limit: String(limit + 1) },
            }
            const model = await ask({ ...test.database, hasTransactions: false }, plan, query)
            const refusing: Database = {
              ...test.database,
              transact: () => Promise.reject(new GatewayTimeoutError('The query took too long')),
            }
            const found = await ask(isSettled ? test.database : refusing, plan, query)
            expect(found, JSON.stringify(query)).to.deep.equal(model)
          }
        },
      )
      await assertProperty(property, { numRuns: modelRuns('PUBLICATION_RUNS', 20, 300) })
    })
  }

  it('join nothing for 1,000 drafts of known state', async () => {
    const plan = planOf('note')
    const rows = Array.from({ length: 1_000 }, (_, index) => {
      const kind = index % 20 === 0 ? 'draft' : 'same'
      return rowsOf(index, '', {
        kind,
        updated: 0,
        published: 1,
        draftState: 'known',
        publishedState: 'known',
        wrongState: STATE_SAME,
      })
    }).flat()
    await fill(plan, rows)
    const commands: string[] = []
    const database: Database = {
      ...test.database,
      countTimeoutMs: COUNT_TIMEOUT_MS,
      queryTimeoutMs: COUNT_TIMEOUT_MS,
      readAtOnce: (command) => {
        commands.push(JSON.stringify(command))
        return test.database.readAtOnce(command)
      },
    }
    const totals: readonly (readonly [string, string, number])[] = [
      ['publicationFilter', 'never-published', 50],
      ['publicationFilter', 'has-published-version', 950],
      ['publicationFilter', 'published-with-draft', 950],
      ['publicationFilter', 'never-published-document', 50],
      ['publicationFilter', 'has-published-version-document', 950],
      ['hasPublishedVersion', 'true', 950],
      ['hasPublishedVersion', 'false', 50],
    ]
    for (const [name, value, total] of totals) {
      const query = { status: 'draft', fields: 'id', [name]: value }
      expect(await ask(database, plan, query)).to.include({ total })
    }
    expect(commands.filter((command) => command.includes('$lookup'))).to.deep.equal([])
    // Pages are joined row by row, and counts only for changed drafts.
    for (const [value, total] of [
      ['modified', 0],
      ['unmodified', 950],
    ] as const) {
      const query = { status: 'draft', fields: 'id', publicationFilter: value }
      expect(await ask(database, plan, query)).to.include({ total })
    }
  })
})
