import { expect } from 'chai'
import { SEGMENT_WRITER } from '../../../src/changes/search/segment-writer.ts'
import { openSearchFollower } from '../../../src/changes/search/follow-search.ts'
import { examineSearchIndex } from '../../../src/changes/search/search-health.ts'
import { pendingDraftsOf } from '../../../src/mongo/search/fresh-drafts.ts'
import { searchFollowersOf } from '../../../src/mongo/search/index-progress.ts'
import { searchFindings } from '../../../src/cli/doctor/examine-search.ts'
import { SEARCH_COMMANDS } from '../../../src/cli/log-commands.ts'
import { ensureHead, type Head, headsOf } from '../../../src/mongo/commits/heads.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'
import { deleteTextIndex, searchForm, textIndexesOf } from '../../../src/mongo/search/index-rows.ts'
import { readIndex } from '../../../src/mongo/search/read-index.ts'
import { exactSlot } from '../../../src/query/text/rank.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan, Schema } from '../../../src/schema/plan.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'

const PAGE = 'api::page.page'
const WAIT_MS = 30_000

function schemaWith(search: Readonly<Record<string, number>> | null): Schema {
  const attributes = { title: { type: 'string' }, body: { type: 'text' } } as const
  const type = contentType('page', { localized: false, draftAndPublish: true }, attributes)
  const found = search === null ? type : { ...type, search }
  return compileSchema({ contentTypes: [found], components: [] })
}

describe('the follower of the search index', () => {
  let test: TestDatabase
  let head: Head
  const listeners = new Set<(head: Head) => void>()
  const clock = { at: Date.UTC(2026, 0, 1) }
  const errors: unknown[] = []

  before(async () => {
    test = await openTestDatabase('follow_search')
    await ensureHead(test.database)
    await move({})
  })
  after(() => test.drop())
  afterEach(() => expect(errors).to.deep.equal([]))

  const move = async (changes: Partial<Head>): Promise<void> => {
    await headsOf(test.database).updateOne({ _id: 'main' }, { $set: { version: 1, ...changes } })
    const found = await headsOf(test.database).findOne({ _id: 'main' })
    if (found === null) throw new Error('there is no head')
    head = found
    for (const listener of listeners) listener(head)
  }
  const follow = (schema: Schema) =>
    openSearchFollower({
      writer: SEGMENT_WRITER,
      database: test.database,
      schema,
      commitLog: {
        head: () => head,
        onHead: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      locales: { current: () => Promise.resolve({ defaultCode: 'en' }) },
      now: () => new Date(clock.at),
      onBackgroundError: (error) => errors.push(error),
    })
  const versionId = (documentId: string, status: string): string => `${documentId}::${status}`
  const put = async (
    documentId: string,
    status: CommitItem['status'],
    title: string | null,
  ): Promise<void> => {
    const _id = versionId(documentId, status)
    const pages = test.database.collection<{ readonly _id: string }>('pages')
    if (title === null) await pages.deleteOne({ _id })
    else {
      const row = { documentId, locale: '', status, title }
      await pages.replaceOne({ _id }, row, { upsert: true })
    }
    const seq = head.seq + 1
    const op = title === null ? 'delete' : 'put'
    const item = { type: PAGE, documentId, locale: '', status, op, revision: null }
    const row = { _id: String(seq).padStart(24, '0'), seq, at: new Date(clock.at), items: [item] }
    await test.database.collection<{ readonly _id: string }>('quire_commits').insertOne(row)
    await move({ seq })
  }
  const planOf = ({ contentTypes }: Schema): ContentTypePlan => {
    const plan = contentTypes.get(PAGE)
    if (plan === undefined) throw new Error('there is no page')
    return plan
  }
  const schema = schemaWith({ title: 1 })
  const TERMS = 'alpha beta gamma delta epsilon zeta eta theta one other another'
    .split(' ')
    .map((word) => ({ word, stem: word, isPrefix: false }))
  const termsOf = async (
    documentId: string,
    status: CommitItem['status'],
  ): Promise<readonly string[] | null> => {
    const plan = planOf(schema)
    const key = { locale: '', status }
    const form = searchForm(plan, 'en')
    const part = { plan, form, keys: [key], withPositions: true }
    const { candidates } = await readIndex(test.database, part, TERMS)
    const found = candidates.get(versionId(documentId, status))
    return found === undefined
      ? null
      : TERMS.flatMap(({ word }, place) => (found.matches[exactSlot(place)] ? [word] : []))
  }
  const reached = async (): Promise<void> => {
    await until(async () => {
      const row = await searchFollowersOf(test.database).findOne({ _id: 'search' })
      return row?.log === head.log && row.cursor === head.seq
    }, WAIT_MS)
  }
  const isBuilt = async (): Promise<boolean> =>
    (await examineSearchIndex(test.database))?.building.length === 0

  it('does nothing for types without search', async () => {
    const follower = await follow(schemaWith(null))
    expect(await examineSearchIndex(test.database)).to.equal(null)
    await follower.close()
  })

  it('builds the index of entries that exist, in both statuses', async () => {
    await put('a', 'published', 'Alpha')
    await put('a', 'draft', 'Beta')
    const follower = await follow(schema)
    await until(async () => (await termsOf('a', 'published')) !== null, WAIT_MS)
    await until(isBuilt, WAIT_MS)
    expect(await termsOf('a', 'published')).to.deep.equal(['alpha'])
    expect(await termsOf('a', 'draft')).to.deep.equal(['beta'])
    await follower.close()
  })

  it('indexes published versions at once, and drafts after a pause in their writes', async () => {
    const follower = await follow(schema)
    await put('b', 'draft', 'One')
    await put('b', 'published', 'Gamma')
    await reached()
    await until(async () => (await termsOf('b', 'published')) !== null, WAIT_MS)
    expect(await termsOf('b', 'draft')).to.equal(null)
    clock.at += 4_000
    await put('b', 'draft', 'Delta')
    await reached()
    clock.at += 4_000
    await put('c', 'published', 'Other')
    await reached()
    expect(await termsOf('b', 'draft')).to.equal(null)
    expect(await pendingDraftsOf(test.database).countDocuments({})).to.equal(1)
    clock.at += 2_000
    await put('c', 'published', 'Another')
    await until(async () => (await termsOf('b', 'draft')) !== null, WAIT_MS)
    expect(await termsOf('b', 'draft')).to.deep.equal(['delta'])
    await until(
      async () => (await pendingDraftsOf(test.database).countDocuments({})) === 0,
      WAIT_MS,
    )
    await follower.close()
  })

  it('deletes the rows of deleted versions', async () => {
    const follower = await follow(schema)
    await put('c', 'published', null)
    await until(async () => (await termsOf('c', 'published')) === null, WAIT_MS)
    await follower.close()
  })

  it('lets one process work, and another one after its lease', async () => {
    const first = await follow(schema)
    await put('d', 'published', 'Epsilon')
    await reached()
    const holder = (await searchFollowersOf(test.database).findOne({}))?.holder
    const second = await follow(schema)
    await put('d', 'published', 'Zeta')
    await reached()
    expect((await searchFollowersOf(test.database).findOne({}))?.holder).to.equal(holder)
    await first.close()
    await put('d', 'published', 'Eta')
    await until(async () => (await termsOf('d', 'published'))?.[0] === 'eta', WAIT_MS)
    await second.close()
  })

  it('builds the index again for another declaration, and reads no row of the former one', async () => {
    const changed = schemaWith({ title: 1, body: 1 })
    const forms = async (): Promise<readonly string[]> => {
      const rows = await textIndexesOf(test.database).find({}).toArray()
      return [...new Set(rows.map(({ form }) => form))]
    }
    const [before] = await forms()
    const follower = await follow(changed)
    await until(async () => (await isBuilt()) && !(await forms()).includes(before ?? ''), WAIT_MS)
    expect(await forms()).to.have.length(1)
    await follower.close()
    const back = await follow(schema)
    await until(async () => (await isBuilt()) && (await forms())[0] === before, WAIT_MS)
    await back.close()
  })

  it('starts over with a new log, whose numbers are lower', async () => {
    await test.database.collection('quire_commits').deleteMany({})
    await move({ log: 'restored', seq: 0 })
    const pages = test.database.collection<{ readonly _id: string }>('pages')
    await pages.updateOne({ _id: versionId('a', 'published') }, { $set: { title: 'Theta' } })
    await pages.deleteOne({ _id: versionId('d', 'published') })
    const follower = await follow(schema)
    await until(async () => (await termsOf('a', 'published'))?.[0] === 'theta', WAIT_MS)
    await until(async () => (await termsOf('d', 'published')) === null, WAIT_MS)
    await reached()
    await follower.close()
  })

  it('builds the index again on request, and quire doctor reports it', async () => {
    const content = () => Promise.resolve({ schema, documents: { database: test.database } })
    const [rebuild] = SEARCH_COMMANDS as unknown as readonly {
      run(context: object, words: readonly string[]): Promise<object>
    }[]
    const run = async (words: readonly string[]) => rebuild?.run({ content }, words)
    const report = await run(['page'])
    expect(report).to.have.deep.property('data', { types: [PAGE] })
    const health = await examineSearchIndex(test.database)
    expect(health?.building).to.deep.equal([PAGE])
    expect(searchFindings({ behind: 2_000, building: [PAGE], pendingDrafts: 0 })).to.deep.equal([
      {
        check: 'search',
        level: 'warning',
        what: 'the index is 2000 commits behind: is a server running?',
      },
      {
        check: 'search',
        level: 'warning',
        what: `the index of ${PAGE} is being built: searches do not find all entries`,
      },
    ])
    await deleteTextIndex(test.database, planOf(schema))
    const follower = await follow(schema)
    await until(async () => (await termsOf('a', 'published')) !== null, WAIT_MS)
    await until(isBuilt, WAIT_MS)
    await follower.close()
    const refused = await run(['pag']).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Error)
    expect((refused as Error).message).to.equal(
      'No content-type pag has search; did you mean page?',
    )
  })
})
