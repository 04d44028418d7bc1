import { expect } from 'chai'
import type { DocumentContext } from '../../../src/content/context.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { updateDocument } from '../../../src/content/write/update-document.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { SYSTEM, type WriteOrigin } from '../../../src/mongo/connection/authorship.ts'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import { COMMITS, type PendingRow } from '../../../src/mongo/connection/commit-record.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { gatherWrites } from '../../../src/mongo/sharing/gathered-writes.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { newDocumentId } from '../../../src/mongo/versions/document-id.ts'
import { COMMIT, REVISION } from '../../../src/mongo/versions/version-fields.ts'
import {
  asVersion,
  type StoredVersion,
  versionsOf,
} from '../../../src/mongo/versions/stored-version.ts'
import { holding } from '../../../src/mongo/write/hold-documents.ts'
import { lockDocuments } from '../../../src/mongo/write/lock-document.ts'
import type { Status } from '../../../src/query/query.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { planOf, SCALAR_ATTRIBUTES } from '../../fixtures/plans.ts'
import { openTestDatabase, type TestDatabase, testUri } from '../../support/test-database.ts'

const SOME = 8
const VALUES = {
  string: 'a',
  biginteger: '9007199254740993',
  decimal: '12.50',
  integer: 7,
  boolean: true,
  date: '2024-02-29',
  datetime: '2024-02-29T12:00:00.000Z',
  json: { a: [1, { b: null }] },
}

/** The origin of a write by a user. */
const originOf = (author: string): WriteOrigin => ({
  authorship: { by: { kind: 'user', id: author, name: null }, requestId: `of ${author}` },
  caller: null,
})

describe('concurrent updates of documents', () => {
  let test: TestDatabase
  let context: DocumentContext
  let plan: ContentTypePlan
  const commands: string[] = []

  before(async () => {
    const monitor = createCommandMonitor('totals')
    monitor.onCommand(({ name }) => commands.push(name))
    test = await openTestDatabase('updated_together', {}, { monitor })
    plan = planOf({
      draftAndPublish: true,
      attributes: {
        ...SCALAR_ATTRIBUTES,
        code: { type: 'string', unique: true },
        needed: { type: 'string', required: true },
      },
    })
    context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => {
        throw new Error(`nothing here is related to ${uid}`)
      },
      now: () => new Date(),
      newDocumentId,
      hashPassword: (password) => Promise.resolve(password),
    }
    const schema = { contentTypes: new Map([[plan.uid, plan]]), components: new Map() }
    await syncIndexes(test.database, [...compileCollections(schema).values()])
  })
  after(() => test.drop())

  const targetOf = (
    documentId: string,
    status: Status = 'published',
    origin: WriteOrigin = SYSTEM,
  ) => ({
    plan,
    documentId,
    key: { locale: '', status },
    writer: { mayRead: () => true, locale: '' },
    origin,
  })
  const create = (data: object, status: Status = 'published'): Promise<StoredVersion> =>
    createDocument(context, targetOf(newDocumentId(), status), data)
  const update = (documentId: string, data: object, status: Status = 'published', author = 'a') =>
    updateDocument(context, targetOf(documentId, status, originOf(author)), data)
  /** Returns the draft and the published version. Missing ones are empty. */
  const storedOf = async (documentId: string): Promise<readonly [StoredVersion, StoredVersion]> => {
    const found = await versionsOf(test.database, plan).find({ documentId }).toArray()
    const of = (status: Status) =>
      asVersion(plan, found.find((version) => version['status'] === status) ?? {})
    return [of('draft'), of('published')]
  }
  const rowsBy = (author: string) =>
    test.database
      .collection<PendingRow>(COMMITS)
      .find({ requestId: `of ${author}` })
      .sort({ _id: 1 })
      .toArray()
  const statusOf = (ended: PromiseSettledResult<unknown>): number => {
    if (ended.status === 'fulfilled') return 200
    if (ended.reason instanceof CmsError) return ended.reason.status
    throw ended.reason
  }

  it('share commands but have separate log rows and authors', async () => {
    const created = await Promise.all(
      Array.from({ length: SOME }, (_, index) => create({ needed: 'yes', string: `${index}` })),
    )
    commands.length = 0
    const answers = await Promise.all(
      created.map(({ documentId }, index) =>
        update(documentId, { ...VALUES, integer: index }, 'published', `author ${index}`),
      ),
    )
    const writes = test.database.hasBulkWrite ? ['bulkWrite'] : ['update', 'insert']
    expect(commands).to.deep.equal(['find', ...writes, 'commitTransaction'])
    for (const [index, answer] of answers.entries()) {
      const { id, createdAt } = created[index] ?? {}
      await assertWritten(answer, `author ${index}`)
      expect(answer).to.deep.include({ id, createdAt, integer: index, needed: 'yes' })
    }
  })

  /** Checks that both versions equal the response and that the log has one row for the write. */
  async function assertWritten(answer: StoredVersion, author: string): Promise<void> {
    const { documentId } = answer
    const [draft, published] = await storedOf(documentId)
    expect(answer).to.deep.equal(published)
    expect(answer['biginteger']).to.equal(9007199254740993n)
    expect(answer.publishedAt).to.be.instanceOf(Date)
    const own = { _id: `${documentId}::draft`, id: draft.id, status: 'draft', publishedAt: null }
    expect(draft).to.deep.equal({ ...published, ...own })
    const [row, ...others] = await rowsBy(author)
    expect(others).to.deep.equal([])
    expect(row?._id).to.equal(draft[COMMIT])
    const put = { type: plan.uid, documentId, locale: '', op: 'put', revision: draft[REVISION] }
    expect(row?.items).to.deep.equal([
      { ...put, status: 'draft' },
      { ...put, status: 'published' },
    ])
  }

  it('keep the published version if only the draft is written', async () => {
    const [one, other] = [await create({ needed: 'one' }), await create({ needed: 'other' })]
    await Promise.all([
      update(one.documentId, { string: 'a' }, 'draft'),
      update(other.documentId, { string: 'b' }),
    ])
    const strings = async ({ documentId }: StoredVersion) =>
      (await storedOf(documentId)).map((version) => version['string'])
    expect(await strings(one)).to.deep.equal(['a', null])
    expect(await strings(other)).to.deep.equal(['b', 'b'])
  })

  it('of the same document run one after the other', async () => {
    const { documentId } = await create({ needed: 'yes', integer: 0 })
    const names = ['string', 'text', 'richtext', 'email'] as const
    await Promise.all(
      names.map((name) => update(documentId, { [name]: 'a@b.c' }, 'published', `same ${name}`)),
    )
    const versions = await storedOf(documentId)
    for (const version of versions) {
      for (const name of names) expect(version[name]).to.equal('a@b.c')
    }
    const rows = (await Promise.all(names.map((name) => rowsBy(`same ${name}`)))).flat()
    expect(rows).to.have.length(names.length)
    const last = rows.map(({ _id }) => _id).toSorted()[names.length - 1]
    expect(versions[1][COMMIT]).to.equal(last)
  })

  it('are refused and stored individually', async () => {
    const held = await create({ needed: 'yes', code: 'held' })
    const draft = await create({}, 'draft')
    const unpublished = await create({ needed: 'yes' }, 'draft')
    const right = await create({ needed: 'yes' })
    const taking = await create({ needed: 'yes' })
    const ended = await Promise.allSettled([
      update(right.documentId, { string: 'right' }),
      update(taking.documentId, { code: 'held' }),
      update(newDocumentId(), { string: 'none' }),
      update(draft.documentId, { string: 'incomplete' }),
      update(unpublished.documentId, { string: 'published now' }),
      update(held.documentId, { string: 'held' }),
    ])
    expect(ended.map(statusOf)).to.deep.equal([200, 400, 404, 400, 200, 200])
    const values = await Promise.all(
      [right, taking, draft, unpublished, held].map(async ({ documentId }) =>
        (await storedOf(documentId)).map((version) => version['string']),
      ),
    )
    expect(values).to.deep.equal([
      ['right', 'right'],
      [null, null],
      [null, undefined],
      ['published now', 'published now'],
      ['held', 'held'],
    ])
  })

  it('of a locked document wait for the release without delaying others', async () => {
    const [held, free] = [await create({ needed: 'a' }), await create({ needed: 'b' })]
    const documentIds = [held.documentId]
    let isOver = false
    let waiting: Promise<unknown> = Promise.resolve()
    await holding(test.database, [{ plan, documentIds }], async () => {
      waiting = update(held.documentId, { string: 'late' }).then(() => {
        expect(isOver).to.equal(true)
      })
      await update(free.documentId, { string: 'at once' })
      isOver = true
      await test.database.transact((session) =>
        lockDocuments(test.database, plan, documentIds, session),
      )
    })
    await waiting
    for (const version of await storedOf(held.documentId)) {
      expect(version['string']).to.equal('late')
    }
  })

  it('are written one by one if they are too large for one command', async () => {
    const text = 'x'.repeat(900_000)
    const created: StoredVersion[] = []
    for (let index = 0; index < SOME; index += 1) created.push(await create({ needed: 'a', text }))
    await Promise.all(created.map(({ documentId }) => update(documentId, { string: 'large' })))
    const large = { string: 'large', status: 'published' }
    expect(await versionsOf(test.database, plan).countDocuments(large)).to.equal(SOME)
  })

  it('keep a change that another process writes between read and write', async () => {
    const [{ documentId }, beside] = [
      await create({ needed: 'yes' }),
      await create({ needed: 'b' }),
    ]
    let isWritten = false
    const other = await openDatabase({
      uri: await testUri(),
      name: test.database.collection('rows').dbName,
      queryTimeoutMs: test.database.queryTimeoutMs,
    })
    const between: DocumentContext['database'] = {
      ...test.database,
      writeCommit: async (session, writes = []) => {
        if (writes.some((command) => 'update' in command) && !isWritten) {
          isWritten = true
          await updateDocument({ ...context, database: other }, targetOf(documentId), {
            text: 'between',
          })
        }
        return test.database.writeCommit(session, writes)
      },
    }
    // Each side has its own queue, as two processes do. Otherwise the write in between would wait for the other one.
    const late = { ...context, database: { ...between, gatherWrites: gatherWrites(null) } }
    await Promise.all(
      [documentId, beside.documentId].map((each) =>
        updateDocument(late, targetOf(each), { string: 'late' }),
      ),
    )
    await other.close()
    expect(isWritten).to.equal(true)
    for (const version of await storedOf(documentId)) {
      expect(version).to.deep.include({ string: 'late', text: 'between' })
    }
  })
})
