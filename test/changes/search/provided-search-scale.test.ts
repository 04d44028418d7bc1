import { expect } from 'chai'
import {
  openSearchFollower,
  type SearchFollower,
} from '../../../src/changes/search/follow-search.ts'
import { providedWriter } from '../../../src/changes/search/provided-search.ts'
import { ensureHead, type Head, headsOf, readHead } from '../../../src/mongo/commits/heads.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'
import { searchFollowersOf } from '../../../src/mongo/search/index-progress.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { type MemorySearch, openMemorySearch } from '../../support/memory-search.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'

const PAGE = 'api::page.page'
const WAIT_MS = 120_000

/** Commits in this order: new entries, changes of some of them, and deletions of others. */
const CREATED = 8_000
const CHANGED = 1_000
const DELETED = 1_000
const COMMITS = CREATED + CHANGED + DELETED

/** Commits per step of the follower. */
const STEP = 200

interface Put {
  readonly commit: number
  readonly documentIds: readonly string[]
}

describe('the search of an extension behind 10,000 commits', () => {
  let test: TestDatabase
  let head: Head
  const open = new Set<SearchFollower>()

  before(async () => {
    test = await openTestDatabase('provided_search_scale')
    await ensureHead(test.database)
    head = await readHead(test.database)
  })
  after(async () => {
    for (const follower of open) await follower.close()
    await test.drop()
  })

  const type = contentType(
    'page',
    { localized: false, draftAndPublish: true },
    { title: { type: 'string' } },
  )
  const schema = compileSchema({
    contentTypes: [{ ...type, search: { title: 1 } }],
    components: [],
  })

  const follow = async (
    provider: MemorySearch,
    onError: (error: unknown) => void,
  ): Promise<SearchFollower> => {
    const host = { report: () => undefined, searchTimes: {} }
    const follower = await openSearchFollower({
      writer: providedWriter({ extension: 'finder', provider, host }),
      database: test.database,
      schema,
      commitLog: { head: () => head, onHead: () => () => undefined },
      locales: { current: () => Promise.resolve({ defaultCode: 'en' }) },
      now: () => new Date(),
      onBackgroundError: onError,
    })
    open.add(follower)
    return follower
  }
  const close = async (follower: SearchFollower): Promise<void> => {
    open.delete(follower)
    await follower.close()
  }
  const cursor = async (): Promise<number> =>
    (await searchFollowersOf(test.database).findOne({ _id: 'search' }))?.cursor ?? -1

  /** The content after all commits, and the commits. */
  const commitAll = async (): Promise<void> => {
    const idOf = (at: number): string => `page${String(at).padStart(5, '0')}`
    const rows = Array.from({ length: CREATED - DELETED }, (_, at) => {
      const title = at < CHANGED ? `changed ${at}` : `new ${at}`
      const documentId = idOf(at)
      return { _id: `${documentId}::published`, documentId, locale: '', status: 'published', title }
    })
    const itemOf = (at: number): Pick<CommitItem, 'documentId' | 'op'> => {
      if (at < CREATED) return { documentId: idOf(at), op: 'put' }
      if (at < CREATED + CHANGED) return { documentId: idOf(at - CREATED), op: 'put' }
      return { documentId: idOf(at - DELETED - CHANGED), op: 'delete' }
    }
    const commits = Array.from({ length: COMMITS }, (_, at) => {
      const item = { type: PAGE, locale: '', status: 'published', revision: null, ...itemOf(at) }
      return { _id: String(at + 1).padStart(24, '0'), seq: at + 1, at: new Date(), items: [item] }
    })
    type Row = Readonly<Record<string, unknown>> & { readonly _id: string }
    await test.database.collection<Row>('pages').insertMany(rows)
    await test.database.collection<Row>('quire_commits').insertMany(commits)
    await headsOf(test.database).updateOne({ _id: 'main' }, { $set: { seq: COMMITS } })
    head = await readHead(test.database)
  }

  /** Records each step. From the given number of steps on, a step stores a half of its entries and fails. */
  const recording = (index: MemorySearch, puts: Put[], maxSteps: number): MemorySearch => ({
    ...index,
    put: async (step) => {
      const { entries } = step
      const isBroken = puts.length >= maxSteps
      const half = entries.slice(0, entries.length / 2)
      await index.put({ ...step, entries: isBroken ? half : entries })
      if (isBroken) throw new Error('the process was killed')
      puts.push({ commit: step.commit, documentIds: entries.map(({ documentId }) => documentId) })
    },
  })

  it('gives it each change once, in bounded steps, also after a restart within a step', async () => {
    const index = openMemorySearch()
    const late: unknown[] = []
    const first = await follow(index, (error) => late.push(error))
    await until(() => index.cleared.length === 1, WAIT_MS)
    await close(first)
    await commitAll()

    const errors: unknown[] = []
    const before: Put[] = []
    const middle = COMMITS / STEP / 2
    const killed = await follow(recording(index, before, middle), (error) => errors.push(error))
    await until(() => errors.length > 0, WAIT_MS)
    await close(killed)
    expect(String(errors[0])).to.include('providers.search put failed')
    expect(await cursor()).to.equal(middle * STEP)

    const after: Put[] = []
    const next = await follow(recording(index, after, Infinity), (error) => late.push(error))
    await until(async () => (await cursor()) === COMMITS, WAIT_MS)
    await close(next)
    expect(late).to.deep.equal([])

    const puts = [...before, ...after]
    expect(Math.max(...puts.map(({ documentIds }) => documentIds.length))).to.be.at.most(STEP)
    const steps = Array.from({ length: COMMITS / STEP }, (_, at) => (at + 1) * STEP)
    // Steps with deleted entries only have nothing to put.
    const isPut = (to: number): boolean =>
      to <= CREATED - DELETED || (to > CREATED && to <= CREATED + CHANGED)
    expect(puts.map(({ commit }) => commit)).to.deep.equal(steps.filter(isPut))
    expect(index.cleared, 'builds').to.deep.equal([PAGE])
    const rows = test.database
      .collection<{ readonly title: string }>('pages')
      .find()
      .sort({ documentId: 1 })
    const titles = (await rows.toArray()).map(({ title }) => title)
    const given = [...index.entries.values()].toSorted((one, other) =>
      one.documentId < other.documentId ? -1 : 1,
    )
    expect(given.map(({ texts }) => texts['title'])).to.deep.equal(titles)
  })
})
