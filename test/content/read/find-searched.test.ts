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
import { indexVersions } from '../../../src/changes/search/index-versions.ts'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { recordBulk } from '../../../src/mongo/commits/bulk-intents.ts'
import { sequence } from '../../../src/mongo/commits/sequencer.ts'
import { findChangedSince, findIndexPosition } from '../../../src/mongo/search/index-progress.ts'
import { deleteTextIndex, searchForm } from '../../../src/mongo/search/index-rows.ts'
import { readIndex } from '../../../src/mongo/search/read-index.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { type Page, type Question, searchNaively } from './search-naively.ts'
import { idOf, openSearchWorld, type SearchWorld } from './search-world.ts'

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
  matchesAll: boolean(),
  pageSize: nat({ max: 3 }),
})

describe('search beside a scan of all entries', () => {
  let world: SearchWorld

  before(async () => {
    world = await openSearchWorld('find_searched')
  })
  after(() => world.close())

  const search = async (
    given: Question,
    filters: object | undefined = given.onlyOpen ? { isOpen: 'true' } : undefined,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> => {
    const quoted = given.phrase === undefined ? '' : `"${given.phrase.join(' ')}" `
    const shown = {
      search: {
        query: `${quoted}${given.words.join(' ')}${given.ending}`,
        ...(given.fields !== undefined && { fields: given.fields }),
        ...(given.matchesAll && { match: 'all' }),
      },
      ...(filters !== undefined && { filters }),
    }
    const ids: string[] = []
    let total = 0
    for (let cursor: string | null = ''; cursor !== null;) {
      const pagination = { cursor, pageSize: String(given.pageSize + 1) }
      const parsed = parseQuery({ ...shown, pagination }, world.plan, rulesWith('en'))
      const found = await findEntries(world.database, parsed)
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
        await world.replacePages(pages)
        await world.build()
        for (const one of questions) {
          const expected = searchNaively(world.analyzer, pages, one).map(idOf)
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
      await world.replacePages(all)
      await world.build()
      expect((await findIndexPosition(world.database))?.cursor).to.equal(0)
      expect(await changed()).to.deep.equal(new Set())
      const ids = [...new Set(gone)].map(idOf)
      const unfiltered = { ...asked, onlyOpen: false }
      const agree = async (): Promise<void> => {
        const found = await search(unfiltered)
        expect(found).to.deep.equal(await search(unfiltered, { title: { $ne: 'absent' } }))
        expect(ids.filter((id) => found.ids.includes(id))).to.deep.equal([])
      }
      const items = ids.map((documentId) => {
        const key = { type: world.plan.uid, documentId, locale: '', status: 'published' } as const
        return { ...key, op: 'delete' as const, revision: null }
      })
      await recordBulk(world.database, items, async () => {
        await world.database
          .collection(world.plan.collectionName)
          .deleteMany({ documentId: { $in: ids } })
        await agree()
      })
      await agree()
      await sequence(world.database, { pause: agree })
      await agree()
      await world.database.collection('quire_commits').deleteMany({})
      await world.database.collection('quire_heads').updateOne({}, { $set: { seq: 0 } })
    })
    await assertProperty(property, { numRuns: modelRuns('SEARCH_RUNS', 15, 150) })
  })

  it('has the same index after single changes as after a build', async () => {
    const property = asyncProperty(
      array(page, { minLength: 1, maxLength: 12 }),
      array(page, { maxLength: 12 }),
      nat(4),
      async (before, after, step) => {
        await world.replacePages(before)
        await world.build()
        await world.replacePages(after)
        const ids = [...new Set([...before, ...after].map((_, at) => `${idOf(at)}::published`))]
        for (let start = 0; start < ids.length; start += step + 1) {
          world.nextSeq()
          await indexVersions(world.indexing(), world.plan, ids.slice(start, start + step + 1))
        }
        const followed = await readAll()
        await deleteTextIndex(world.database, world.plan)
        await world.build()
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
    await world.replacePages(all)
    await world.build()
    const newest = await readAll()
    await world.replacePages(all.slice(0, 5).map((one) => ({ ...one, title: ['cafe'] })))
    const ids = all.map((_, at) => `${idOf(at)}::published`)
    await indexVersions({ ...world.indexing(), seq: world.indexing().seq - 1 }, world.plan, ids)
    expect(await readAll()).to.deep.equal(newest)
  })

  it('counts all entries of a filter among thousands of matches', async () => {
    const all = Array.from({ length: 4_100 }, (_, at): Page => {
      return { title: ['berg'], body: [], isOpen: at % 3 === 0, day: 0 }
    })
    await world.replacePages(all)
    await world.build()
    const asked = { words: ['berg'], ending: ' ', matchesAll: false, pageSize: 99 }
    const { ids, total } = await search({ ...asked, onlyOpen: true })
    const open = all.flatMap(({ isOpen }, at) => (isOpen ? [idOf(at)] : []))
    expect(ids).to.deep.equal(open)
    expect(total).to.equal(open.length)
  })

  const changed = async () => {
    const position = await findIndexPosition(world.database)
    if (position === null) throw new Error('There is no position')
    return findChangedSince(world.database, world.plan, searchForm(world.plan, 'en'), position)
  }

  const readAll = async () => {
    const terms = WORDS.flatMap((text) =>
      world.analyzer.tokens(text).map(({ stem, word }) => ({ stem, word, isPrefix: true })),
    )
    const key = { locale: '', status: 'published' } as const
    const read = await readIndex(
      world.database,
      { plan: world.plan, form: searchForm(world.plan, 'en'), keys: [key], withPositions: true },
      terms,
    )
    const candidates = [...read.candidates]
      .map(([_id, { version, matches }]) => {
        const { id, updatedAt, lengths } = version
        return { _id, id, updatedAt, lengths, matches }
      })
      .toSorted((one, other) => (one._id < other._id ? -1 : 1))
    return { ...read, candidates }
  }
})
