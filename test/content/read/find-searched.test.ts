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
import { buildStep, restartBuilds } from '../../../src/changes/search/build-index.ts'
import { indexVersions } from '../../../src/changes/search/index-versions.ts'
import { ensureSearchFollower } from '../../../src/changes/search/search-rows.ts'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { recordBulk } from '../../../src/mongo/commits/bulk-intents.ts'
import { ensureHead, readHead } from '../../../src/mongo/commits/heads.ts'
import { sequenceAll } from '../../../src/mongo/commits/sequencer.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { findChangedSince, findIndexPosition } from '../../../src/mongo/search/index-progress.ts'
import { deleteTextIndex, searchForm } from '../../../src/mongo/search/index-rows.ts'
import { readIndex } from '../../../src/mongo/search/read-index.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { type Analyzer, analyzerFor } from '../../../src/query/text/analyze-text.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { type Page, type Question, searchNaively, WEIGHTS } from './search-naively.ts'

const { contentTypes } = compileSchema({
  contentTypes: [
    {
      ...contentType(
        'page',
        { localized: false, draftAndPublish: false },
        { title: { type: 'string' }, body: { type: 'text' }, isOpen: { type: 'boolean' } },
      ),
      search: WEIGHTS,
    },
  ],
  components: [],
})

/** Words with shared stems and beginnings, an accent and a stop word. */
const WORDS = ['berg', 'bergs', 'bergamot', 'café', 'cafe', 'the', 'blue', 'run', 'running']
const word = constantFrom(...WORDS)

const page = record({
  title: array(word, { maxLength: 4 }),
  body: array(word, { maxLength: 45 }),
  isOpen: boolean(),
  day: nat(1),
})

const question = record({
  words: array(word, { minLength: 1, maxLength: 3 }),
  phrase: option(array(word, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  ending: constantFrom('', ' '),
  fields: option(constantFrom('title', 'body'), { nil: undefined }),
  onlyOpen: boolean(),
  pageSize: nat({ max: 3 }),
})

const DAYS = [0, 1].map((day) => new Date(Date.UTC(2026, 0, 1 + day)))

function idOf(index: number): string {
  return `d${String(index).padStart(23, '0')}`
}

describe('search beside a scan of all entries', () => {
  let test: TestDatabase
  let plan: ContentTypePlan
  let analyzer: Analyzer

  before(async () => {
    test = await openTestDatabase('find_searched')
    await syncIndexes(test.database, [...compileCollections({ contentTypes }).values()])
    await ensureHead(test.database)
    await ensureSearchFollower(test.database, await readHead(test.database))
    const found = contentTypes.get('api::page.page')
    if (found === undefined) throw new Error('there is no page')
    plan = found
    analyzer = await analyzerFor('en')
  })
  after(() => test.drop())

  const rowOf = ({ title, body, isOpen, day }: Page, index: number) => ({
    _id: `${idOf(index)}::published`,
    id: index,
    documentId: idOf(index),
    locale: '',
    status: 'published',
    title: title.join(' '),
    body: body.join(' '),
    isOpen,
    createdAt: DAYS[day],
    updatedAt: DAYS[day],
    publishedAt: DAYS[day],
  })
  const fill = async (pages: readonly Page[]): Promise<void> => {
    const collection = test.database.collection<ReturnType<typeof rowOf>>(plan.collectionName)
    await collection.deleteMany({})
    if (pages.length > 0) await collection.insertMany(pages.map(rowOf))
  }
  let seq = 0
  /** Few recent versions, so that there are segments and merges. */
  const indexing = () => ({
    database: test.database,
    defaultLocale: 'en',
    seq,
    now: () => new Date(),
    maxRecent: 3,
  })
  const build = async (): Promise<void> => {
    seq += 1
    await restartBuilds(test.database, [plan.uid])
    while (await buildStep(indexing(), plan));
  }
  const search = async (
    given: Question,
    filters: object | undefined = given.onlyOpen ? { isOpen: 'true' } : undefined,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> => {
    const quoted = given.phrase === undefined ? '' : `"${given.phrase.join(' ')}" `
    const shown = {
      search: {
        query: `${quoted}${given.words.join(' ')}${given.ending}`,
        ...(given.fields !== undefined && { fields: given.fields }),
      },
      ...(filters !== undefined && { filters }),
    }
    const ids: string[] = []
    let total = 0
    for (let cursor: string | null = ''; cursor !== null;) {
      const pagination = { cursor, pageSize: String(given.pageSize + 1) }
      const parsed = parseQuery({ ...shown, pagination }, plan, rulesWith('en'))
      const found = await findEntries(test.database, parsed)
      const { entries, nextCursor } = found
      total = found.total ?? 0
      ids.push(...entries.map(({ documentId }) => String(documentId)))
      cursor = nextCursor
    }
    return { ids, total }
  }

  it('has the same results in the same order, on all pages', async () => {
    const property = asyncProperty(
      array(page, { maxLength: 12 }),
      array(question, { minLength: 3, maxLength: 6 }),
      async (pages, questions) => {
        await fill(pages)
        await build()
        for (const one of questions) {
          const expected = searchNaively(analyzer, pages, one).map(idOf)
          const found = await search(one)
          expect(found, JSON.stringify(one)).to.deep.equal({
            ids: expected,
            total: expected.length,
          })
        }
      },
    )
    await assertProperty(property, { numRuns: modelRuns('SEARCH_RUNS', 30, 300) })
  })

  it('shows deleted entries no more, also before the index knows', async () => {
    const pages = array(page, { minLength: 1, maxLength: 12 })
    const chosen = array(nat(11), { minLength: 1, maxLength: 3 })
    const property = asyncProperty(pages, chosen, question, async (all, gone, asked) => {
      await fill(all)
      await build()
      expect(await findIndexPosition(test.database)).to.equal(0)
      expect(await changed()).to.deep.equal(new Set())
      const ids = [...new Set(gone)].map(idOf)
      const unfiltered = { ...asked, onlyOpen: false }
      const agree = async (): Promise<void> => {
        const found = await search(unfiltered)
        expect(found).to.deep.equal(await search(unfiltered, { title: { $ne: 'absent' } }))
        expect(ids.filter((id) => found.ids.includes(id))).to.deep.equal([])
      }
      const items = ids.map((documentId) => {
        const key = { type: plan.uid, documentId, locale: '', status: 'published' } as const
        return { ...key, op: 'delete' as const, revision: null }
      })
      await recordBulk(test.database, items, async () => {
        await test.database.collection(plan.collectionName).deleteMany({ documentId: { $in: ids } })
        await agree()
      })
      await agree()
      await sequenceAll(test.database)
      await agree()
      await test.database.collection('quire_commits').deleteMany({})
      await test.database.collection('quire_heads').updateOne({}, { $set: { seq: 0 } })
    })
    await assertProperty(property, { numRuns: modelRuns('SEARCH_RUNS', 15, 150) })
  })

  it('has the same index after single changes as after a build', async () => {
    const property = asyncProperty(
      array(page, { minLength: 1, maxLength: 12 }),
      array(page, { maxLength: 12 }),
      nat(4),
      async (before, after, step) => {
        await fill(before)
        await build()
        await fill(after)
        const ids = [...new Set([...before, ...after].map((_, at) => `${idOf(at)}::published`))]
        for (let start = 0; start < ids.length; start += step + 1) {
          seq += 1
          await indexVersions(indexing(), plan, ids.slice(start, start + step + 1))
        }
        const followed = await readAll()
        await deleteTextIndex(test.database, plan)
        await build()
        expect(followed).to.deep.equal(await readAll())
        expect(followed.statistics.count).to.equal(after.length)
      },
    )
    await assertProperty(property, { numRuns: modelRuns('SEARCH_RUNS', 15, 150) })
  })

  it('keeps newer entries if a delayed process writes older ones', async () => {
    const all = Array.from({ length: 9 }, (_, at): Page => {
      return { title: ['berg'], body: at % 2 === 0 ? ['blue'] : ['run'], isOpen: true, day: 0 }
    })
    await fill(all)
    await build()
    const newest = await readAll()
    await fill(all.slice(0, 5).map((one) => ({ ...one, title: ['cafe'] })))
    const ids = all.map((_, at) => `${idOf(at)}::published`)
    await indexVersions({ ...indexing(), seq: seq - 1 }, plan, ids)
    expect(await readAll()).to.deep.equal(newest)
  })

  const changed = () => findChangedSince(test.database, plan, searchForm(plan, 'en'), 0)

  const readAll = async () => {
    const terms = WORDS.flatMap((text) =>
      analyzer.tokens(text).map(({ stem, word }) => ({ stem, word, isPrefix: true })),
    )
    const key = { locale: '', status: 'published' } as const
    const read = await readIndex(test.database, plan, searchForm(plan, 'en'), [key], terms)
    const candidates = [...read.candidates].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return { ...read, candidates }
  }
})
